// SPDX-License-Identifier: MIT
//
// Bytes that somebody else opened: how cli hands a log to diag, which may not touch the system.

#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"

namespace manactl {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Bytes read into `into`; 0 at the end. Blocks until there are some.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

}  // namespace manactl
