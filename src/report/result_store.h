// SPDX-License-Identifier: MIT
//
// Saves results of measurements: one file per result, in a directory that only its owner can read.

#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/durable_directory.h"

namespace manactl::report {

class ResultStore {
 public:
  static constexpr std::size_t kMaxResults = 100;
  static constexpr std::uint64_t kMaxBytes = 512ULL << 20U;

  // `directory` is an absolute path. The first save() creates it.
  explicit ResultStore(std::string directory, std::uint64_t max_bytes = kMaxBytes);

  // Creates the directory if it is missing. Fails if a result could not be saved in it.
  Result<> test();

  // Returns all ids, newest first. Ignores files whose names are not ids.
  Result<std::vector<std::string>> ids() const;

  Result<std::string> read(std::string_view id) const;

  // Fails with Errc::invalid if no such result is saved.
  Result<> remove(std::string_view id);

  // Writes the file atomically, then removes the oldest results beyond kMaxResults and the size
  // limit. The result just saved is never removed. Fails if there is a result with this id.
  Result<> save(std::string_view id, std::string_view text);

 private:
  std::uint64_t max_bytes_;
  std::unique_ptr<os::DurableDirectory> files_;
};

// "20261121-134702-3f2a": UTC and the process id in hexadecimal.
std::string result_id(std::time_t now, std::uint64_t process);
bool is_result_id(std::string_view text);

// Finds the id that begins with `prefix`, or for "latest" the first of `ids`, which are sorted from
// new to old. nullopt if there is none. Fails with Errc::invalid if several ids begin with
// `prefix`.
inline constexpr std::string_view kLatest = "latest";
Result<std::optional<std::string>> find_id(const std::vector<std::string>& ids,
                                           std::string_view prefix);

// Below /var/lib for root. For other users, below `state_home`; empty if `state_home` is empty.
std::string results_directory(unsigned uid, std::string_view state_home);

}  // namespace manactl::report
