// SPDX-License-Identifier: MIT
//
// The check interfaces.links.

#pragma once

#include "diag/check.h"

namespace manactl::diag {

Finding check_links(const host::Facts& facts, const CheckOptions& options);

}  // namespace manactl::diag
