// SPDX-License-Identifier: MIT
//
// The file of bench --until-deleted. bench creates it when packets are measured; another program
// deletes it to end the measurement.

#pragma once

#include <string>

#include "base/trusted_directory.h"

namespace manactl::cli {

class RunFile {
 public:
  // Opens the directory, and checks that the file does not exist. Fails with Errc::invalid, or with
  // Errc::denied if another user controls the directory.
  static Result<RunFile> at(const std::string& path);

  RunFile(RunFile&&) = default;
  RunFile& operator=(RunFile&&) = delete;
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;

  // Deletes the file unless another file has its name.
  ~RunFile();

  // Fails if the file exists.
  Result<> create();

  bool is_created() const { return bool(file_); }

  // True if the created file was deleted, moved or replaced.
  bool is_deleted() const;

 private:
  RunFile(TrustedDirectory directory, std::string name, std::string path)
      : directory_(std::move(directory)), name_(std::move(name)), path_(std::move(path)) {}

  TrustedDirectory directory_;
  std::string name_, path_;
  Descriptor file_;  // open, so that no new file gets its inode number
};

}  // namespace manactl::cli
