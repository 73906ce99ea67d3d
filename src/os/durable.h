// SPDX-License-Identifier: MIT
//
// A directory of small files that survive a power cut. It is made when first written to; every part
// of its path must be safe from other users, and symbolic links are refused.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

class Durable {
 public:
  virtual ~Durable() = default;
  virtual std::string path() const = 0;

  // Regular files without those that were being written. Empty when there is no directory yet.
  virtual Result<std::vector<std::string>> list() const = 0;
  virtual Result<std::string> read(std::string_view name) const = 0;
  virtual Result<std::uint64_t> size(std::string_view name) const;  // bytes

  // Whole or not at all: written beside it, synced, renamed, the directory synced.
  virtual Result<> replace(std::string_view name, std::string_view text) = 0;

  // At the end of a file that is there; synced. A part that did not fit is taken back.
  virtual Result<> append(std::string_view name, std::string_view text) = 0;
  virtual Result<> remove(std::string_view name) = 0;  // fine when it is not there
};

enum class Secrecy { ours_alone, for_all_to_read };  // 0600 in 0700, or 0644 in 0755

// `path` is absolute. Touches nothing yet.
std::unique_ptr<Durable> open_durable(std::string path, Secrecy secrecy);

}  // namespace manactl::os
