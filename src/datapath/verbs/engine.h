// SPDX-License-Identifier: MIT
//
// The engine without its way to the devices, for tests that bring their own.

#pragma once

#include "datapath/verbs/port.h"

namespace manactl::datapath::verbs {

std::unique_ptr<Engine> make_engine(OpenPort open, std::string version);

}  // namespace manactl::datapath::verbs
