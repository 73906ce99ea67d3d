// SPDX-License-Identifier: MIT
//
// Resolves a path one component at a time, so that each component can be checked before it is used.

#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/descriptor.h"

namespace manactl {

// All directories on the way stay open, so that ".." returns to the previous one even if another
// user moves a directory meanwhile. The caller opens the components and decides about links.
class PathWalk {
 public:
  // A relative path starts at `start`, if that is given. Absolute paths, and links with an absolute
  // target, start at `root`.
  PathWalk(Descriptor root, std::string path, Descriptor start = Descriptor());

  // Removes the next component from the path and returns it; empty at the end. Resolves "." and
  // "..", but returns ".." if it leads to a directory above `start`.
  std::string next();

  // Whether next() has returned the last component.
  bool is_last() const { return rest_.find_first_not_of('/') == std::string::npos; }

  // Whether a slash follows the last component.
  bool is_followed_by_slash() const { return is_last() && !rest_.empty(); }

  // The directory or file that was entered last, or the root.
  int here() const { return levels_.empty() ? root_.get() : levels_.back().file.get(); }

  Descriptor take_here();

  // The path of here(), or of the component `name` in it, without links; for messages.
  std::string path() const { return levels_.empty() ? "/" : levels_.back().path; }

  std::string path_of(const std::string& name) const;

  void enter(Descriptor file, const std::string& name);

  // Puts the target of the open link in front of the rest of the path. Returns 0 or an errno value:
  // ELOOP after as many links as the kernel follows.
  int follow(int link);

 private:
  struct Level {
    Descriptor file;
    std::string path;
  };

  Descriptor root_;
  std::string rest_;
  bool is_relative_;  // the first level is `start` or a directory above it
  int links_ = 0;
  std::vector<Level> levels_;
};

// Whether root or the effective user owns a file.
bool is_trusted_owner(const struct stat& status);

bool is_writable_by_others(const struct stat& status);

// Whether only root and the effective user can rename and remove their files in a directory. In a
// sticky directory, others can add files, but can neither rename nor remove ours.
bool is_trusted_directory(const struct stat& status);

// Whether the open link in `directory` may be a magic link, which leads to any file. In procfs
// these are the links below its top directory. Also true if fstat(2) or fstatfs(2) fails.
bool may_be_magic_link(int link, int directory);

}  // namespace manactl
