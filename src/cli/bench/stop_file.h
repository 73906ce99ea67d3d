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

  // The first call creates the file. True if that failed, or if the file has been deleted, moved or
  // replaced.
  bool ends_measurement();

  const Result<>& created() const { return created_; }

  // True if the created file has been deleted, moved or replaced.
  bool is_deleted() const;

 private:
  TrustedDirectory directory_;
  std::string name_, path_;
  Descriptor file_;  // kept open, because the kernel could otherwise reuse its inode number
  Result<> created_;
};

}  // namespace manactl::cli
