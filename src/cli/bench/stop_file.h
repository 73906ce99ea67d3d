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

  // Creates the file on the first call. True if the measurement must stop: the file could not be
  // created, or has been deleted, moved or replaced.
  bool should_stop();

  const Result<>& creation_result() const { return creation_result_; }

  // True if should_stop() found that the file had been deleted, moved or replaced.
  bool has_stopped() const { return has_stopped_; }

 private:
  bool is_deleted() const;

  TrustedDirectory directory_;
  std::string name_, path_;
  Descriptor file_;  // kept open, because the kernel could otherwise reuse its inode number
  Result<> creation_result_;
  bool has_stopped_ = false;
};

}  // namespace manactl::cli
