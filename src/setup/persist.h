// SPDX-License-Identifier: MIT
//
// Writes, lists and removes the files of --persist. Files without the header of manactl are never
// overwritten or removed.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/durable_directory.h"
#include "setup/persistent_files.h"

namespace manactl::setup {

class Persistence {
 public:
  explicit Persistence(std::string root = "") : root_(std::move(root)) {}

  // If a write fails, removes the files that this call has created.
  Result<> write(const std::vector<PersistentFile>& files) const;

  // Paths of the files whose header names `interface`; of all files with a header if it is empty.
  std::vector<std::string> list(const std::string& interface) const;
  Result<std::vector<std::string>> remove(const std::string& interface) const;

 private:
  std::unique_ptr<os::DurableDirectory> open(const std::string& directory) const;

  std::string root_;
};

}  // namespace manactl::setup
