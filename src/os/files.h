// SPDX-License-Identifier: MIT
//
// Access to sysfs, procfs and other files of the system. Paths are relative to a root
// ("sys/class/net"): "/" on a live system or the top directory of a captured tree.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"

namespace manactl::os {

// Properties of a file from stat(2) and faccessat(2). Symbolic links are followed.
struct Node {
  enum class Type { file, directory, character_device, other };
  Type type = Type::other;
  unsigned mode = 0;  // permission bits
  unsigned uid = 0, gid = 0;
  bool readable = false, writable = false;  // for the effective IDs of this process
};

class Files {
 public:
  virtual ~Files() = default;

  // The contents of a file without the last newline. Errc::invalid if larger than `max_bytes`.
  virtual Result<std::string> read(std::string_view path,
                                   std::size_t max_bytes = 16U << 20) const = 0;
  virtual Result<std::string> link_target(std::string_view path) const = 0;
  virtual Result<std::vector<std::string>> list(std::string_view dir) const = 0;  // sorted names
  virtual Result<Node> node(std::string_view path) const = 0;

  // Writes to an existing file with one write(2), as sysfs requires. Error::sys is the errno.
  virtual Result<> write(std::string_view path, std::string_view text) = 0;
};

// Opens `root`. Below a root other than "/", symbolic links are resolved inside the root. Messages
// print `shown` instead of `root`, unless `shown` is empty.
Result<std::unique_ptr<Files>> open_files(const std::string& root, const std::string& shown = {});

// A file as a stream, for logs. The first read() reads the file, and the memory is freed at its
// end. `files` must outlive it.
std::unique_ptr<ByteSource> open_stream(const Files& files,
                                        std::string path,
                                        std::size_t max_bytes);

inline bool exists(const Files& files, std::string_view path) {
  return files.node(path).has_value();
}

// The last component of a link's target. In sysfs it names a driver, bus or parent device.
Result<std::string> link_name(const Files& files, std::string_view path);

// Replaces a link by its target, repeatedly: "sys/class/net/eth1" becomes
// "sys/devices/.../net/eth1". Returns `path` unchanged if it is not a link. Only the last component
// is resolved.
std::string resolve(const Files& files, std::string_view path);

// Returns the target of a path that is a link, and nothing for another file. `is_last` is false if
// components follow.
using TargetOf =
    std::function<Result<std::optional<std::string>>(const std::string& path, bool is_last)>;

// The place to which a path below the root leads, without links, "." and "..". Returns the first
// error of `target_of`, ELOOP after as many links as the kernel follows, and Errc::invalid if the
// path and its links lead through too many directories.
Result<std::string> canonical(std::string_view path, const TargetOf& target_of);

}  // namespace manactl::os
