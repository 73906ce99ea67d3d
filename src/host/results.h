// SPDX-License-Identifier: MIT
//
// Results of earlier measurements, kept below the state directory: one file each, for its owner's
// eyes alone, written whole or not at all, and the oldest removed when there are too many.

#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/durable.h"

namespace manactl::host {

class Results {
 public:
  static constexpr std::size_t kMost = 100;
  static constexpr std::uint64_t kMostBytes = 512ULL << 20U;

  // `directory` is absolute. Touches nothing yet; the directory is made by the first keep().
  explicit Results(std::string directory, std::uint64_t most_bytes = kMostBytes);

  // Every id, the oldest first. Files of other names are left alone.
  Result<std::vector<std::string>> ids() const;

  Result<std::string> read(std::string_view id) const;

  // Afterwards no more than kMost are left, and no more bytes than allowed unless this one alone
  // has them: the newest always stays.
  Result<> keep(std::string_view id, std::string_view text);

 private:
  std::uint64_t most_bytes_;
  std::unique_ptr<os::Durable> files_;
};

// "20261121-134702-3f2a": UTC, and the process in hexadecimal.
std::string result_id(std::time_t now, std::uint64_t process);
bool is_result_id(std::string_view text);

// Root's results are the machine's, below /var/lib; those of users stand below `state_home`. Empty
// for a user without one.
std::string results_directory(unsigned uid, std::string_view state_home);

}  // namespace manactl::host
