// SPDX-License-Identifier: MIT
//
// A stream of bytes. diag, which must not access the system, uses it to read a log that cli opened.

#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"

namespace manactl {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Blocks until at least one byte is read into `into`. Returns the number of bytes; 0 at the end.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

}  // namespace manactl
