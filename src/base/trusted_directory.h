// SPDX-License-Identifier: MIT
//
// Opens directories and files that other users must not replace or redirect. Every path that
// manactl trusts, and every file that it creates, is opened here.

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace manactl {

enum class Trust {
  // Each directory belongs to root or the effective user. Others cannot write to it, unless it is
  // sticky. For files that are read or executed.
  owned,
  // As `owned`, and others cannot write to the last directory. For the state of manactl.
  exclusive,
  // Directories may belong to other users. For output files.
  any_owner,
};

// Opens and checks each component of the path in turn. With every Trust, follows a symbolic link
// only if it belongs to root or the effective user and lies in a directory that satisfies `owned`.
class TrustedDirectory {
 public:
  // A relative path starts at the working directory. With `mode`, creates missing directories: the
  // last one with `mode`, the others with 0755. Errc::denied names the component that another user
  // controls.
  static Result<TrustedDirectory> open(const std::string& path,
                                       Trust trust,
                                       std::optional<mode_t> mode = std::nullopt);

  // A descriptor for openat(2) and similar calls. O_PATH: it can be neither read nor synced.
  int get() const { return directory_.get(); }

  const std::string& path() const { return path_; }

  // Opens a regular file that belongs to root or the effective user and that others cannot write
  // to; with Trust::any_owner, others may have write permission. To be written, the file must have
  // at most one link. Does not follow symbolic links, and opens neither pipes nor devices.
  Result<Descriptor> open_file(const std::string& name, int flags, mode_t mode = 0) const;

 private:
  TrustedDirectory(Descriptor directory, std::string path, Trust trust)
      : directory_(std::move(directory)), path_(std::move(path)), trust_(trust) {}

  Descriptor directory_;
  std::string path_;  // as given, for messages
  Trust trust_;
};

// The directory and the name of a file: "a/b/c" gives "a/b" and "c", "c" gives "." and "c".
struct FilePath {
  std::string directory, name;
};

// Errc::invalid if the path is empty or names a directory, such as "a/" or "..".
Result<FilePath> split_file_path(const std::string& path);

// Opens an existing file with Trust::owned: no user but root and the effective user could have
// written or replaced it. With O_PATH in `flags`, only checks the file.
Result<Descriptor> open_trusted_file(const std::string& path, int flags);

// Creates a file (mode 0600) with Trust::any_owner, or opens an existing one to append to it.
Result<Descriptor> open_output_file(const std::string& path);

}  // namespace manactl
