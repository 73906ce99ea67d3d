// SPDX-License-Identifier: MIT
//
// sysfs, procfs and friends. Paths are relative to a root ("sys/class/net"): "/" in production, a
// captured tree with --root, a map in tests. Only implementations of this class open such files.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

// What stat(2) tells of a path, and access(2) for this process. Symbolic links are followed.
struct Node {
  enum class Type { file, directory, character_device, other };
  Type type = Type::other;
  unsigned mode = 0;  // permission bits
  unsigned uid = 0, gid = 0;
  bool readable = false, writable = false;  // by this process
};

class Files {
 public:
  virtual ~Files() = default;

  // The whole file, the last newline removed. Errc::io when it is larger than `max_bytes`.
  virtual Result<std::string> read(std::string_view path,
                                   std::size_t max_bytes = 16U << 20) const = 0;
  virtual Result<std::string> link_target(std::string_view path) const = 0;
  virtual Result<std::vector<std::string>> list(std::string_view dir) const = 0;  // sorted
  virtual Result<Node> node(std::string_view path) const = 0;

  // One write(2): the errno that a sysfs store answers is kept in Error::sys.
  virtual Result<> write(std::string_view path, std::string_view text) = 0;
};

// Below `root`. Symbolic links, absolute ones too, never lead out of a root other than "/".
Result<std::unique_ptr<Files>> open_files(const std::string& root);

inline bool exists(const Files& files, std::string_view path) {
  return files.node(path).has_value();
}

// The last component of a link's target: how sysfs names a driver, a bus or a parent.
Result<std::string> link_name(const Files& files, std::string_view path);

// `path` with its last component's links followed by text alone: "sys/class/net/eth1" gives
// "sys/devices/.../net/eth1". Unchanged when it is not a link.
std::string resolve(const Files& files, std::string_view path);

}  // namespace manactl::os
