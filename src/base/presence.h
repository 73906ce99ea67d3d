// SPDX-License-Identifier: MIT
//
// The state of a kernel module, which os determines and diag evaluates.

#pragma once

namespace manactl {

enum class Presence {
  loaded,
  builtin,
  available,    // installed, not loaded
  blacklisted,  // installed, but modprobe refuses to load it
  missing,
};

}  // namespace manactl
