// SPDX-License-Identifier: MIT
//
// How a kernel module is there. Known to os, which asks, and to diag, which judges.

#pragma once

namespace manactl {

enum class Presence { loaded, builtin, available, blacklisted, missing };

}  // namespace manactl
