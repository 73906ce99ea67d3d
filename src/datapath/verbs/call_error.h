// SPDX-License-Identifier: MIT
//
// Errors for failed calls of libibverbs: the cause, the user of the port, and a command that helps.

#pragma once

#include <string_view>

#include "base/result.h"
#include "datapath/verbs/device_files.h"

namespace manactl::datapath::verbs {

// The error of a call that failed with the errno `number`.
Error call_error(const PortInfo& port, std::string_view call, int number);

}  // namespace manactl::datapath::verbs
