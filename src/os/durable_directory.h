// SPDX-License-Identifier: MIT
//
// A directory of small files that survive a crash or power failure. The first replace() creates it.
// Its path must be protected from other users (Trust::exclusive).

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

// Names are plain file names without '/' that do not start with a dot or
// end with ".new". Errc::denied if another user
// could change the directory or the file.
class DurableDirectory {
 public:
  virtual ~DurableDirectory() = default;
  virtual std::string path() const = 0;

  // Returns the sorted file names, without temporary files of an interrupted replace(). Empty if
  // the directory does not exist.
  virtual Result<std::vector<std::string>> list() const = 0;
  virtual Result<std::string> read(std::string_view name) const = 0;
  virtual Result<std::uint64_t> size(std::string_view name) const;  // bytes

  // Replaces or creates a file atomically: syncs a temporary file, renames it, syncs the directory.
  virtual Result<> replace(std::string_view name, std::string_view text) = 0;

  // As replace(), but fails with EEXIST if the file exists.
  virtual Result<> create(std::string_view name, std::string_view text);

  // Appends to an existing file and syncs it. If the write fails, restores the previous size.
  virtual Result<> append(std::string_view name, std::string_view text) = 0;
  virtual Result<> remove(std::string_view name) = 0;  // also succeeds for a missing file
};

// Permissions of the directory and its files: 0700 and 0600, or 0755 and 0644.
enum class DirectoryAccess { owner_only, world_readable };

// Does not access the file system; only the methods of the result do.
std::unique_ptr<DurableDirectory> open_durable_directory(std::string path, DirectoryAccess access);

}  // namespace manactl::os
