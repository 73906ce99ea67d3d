// SPDX-License-Identifier: MIT
//
// The file of bench --until-deleted. bench creates it at the start of the measurement; another
// program deletes it to end the measurement.

#pragma once

#include <memory>
#include <string>

#include "base/trusted_directory.h"

namespace manactl::cli {

class StopFile {
 public:
  // Opens the directory, and checks that the file does not exist. Fails with Errc::invalid, or with
  // Errc::denied if another user controls the directory.
  static Result<std::unique_ptr<StopFile>> open(const std::string& path);

  StopFile(TrustedDirectory directory, std::string name, std::string path)
      : directory_(std::move(directory)), name_(std::move(name)), path_(std::move(path)) {}

  StopFile(const StopFile&) = delete;
  StopFile& operator=(const StopFile&) = delete;

  // Deletes the file unless another file has its name.
  ~StopFile();

  // Creates the file on the first call. True if the file has been deleted, moved or replaced.
  Result<bool> was_deleted();

 private:
  bool is_deleted() const;

  TrustedDirectory directory_;
  std::string name_, path_;
  Descriptor file_;  // kept open, because the kernel could otherwise reuse its inode number
};

}  // namespace manactl::cli
