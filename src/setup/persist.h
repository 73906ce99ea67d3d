// SPDX-License-Identifier: MIT
//
// Writes, lists and removes the files of --persist, which prepare a NIC at every boot. Files
// without the header of manactl are never overwritten or removed.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "os/durable_directory.h"

namespace manactl::setup {

inline constexpr const char* kUnitFiles = "/etc/systemd/system";
inline constexpr const char* kBootTarget = "/etc/systemd/system/multi-user.target.d";
inline constexpr const char* kTmpfiles = "/etc/tmpfiles.d";
inline constexpr const char* kNetworkdFiles = "/etc/systemd/network";
inline constexpr const char* kNetworkManagerFiles = "/etc/NetworkManager/conf.d";
inline constexpr const char* kUdevRules = "/etc/udev/rules.d";

struct PersistentFile {
  std::string directory;  // "/etc/systemd/system"
  std::string name, text;

  std::string path() const { return directory + "/" + name; }
};

// The name in the header of files that tune `interface`.
std::string tuning_name(const std::string& interface);

// The first lines of each file of `interface`, or of tuning_name().
std::string header_of(const std::string& interface);

// Whether manactl wrote the file for `interface`; for any interface if it is empty.
bool has_header(std::string_view text, const std::string& interface);

class Persistence {
 public:
  // `root` is a prefix of every path: "" on this machine.
  explicit Persistence(std::string root) : root_(std::move(root)) {}

  // If a write fails, removes the files that this call has created. Errc::invalid for a directory
  // other than those above.
  Result<> write(const std::vector<PersistentFile>& files) const;

  // Writes the files, and then removes the other files whose header names `interface`, so that an
  // error leaves the earlier ones. Returns the removed paths. Not for files that reserve hugepages,
  // whose lines the files of all NICs share.
  Result<std::vector<std::string>> replace(const std::string& interface,
                                           const std::vector<PersistentFile>& files) const;

  // Paths of the files whose header names `interface`; of all files with a header if it is empty.
  std::vector<std::string> list(const std::string& interface) const;
  Result<std::vector<std::string>> remove(const std::string& interface) const;

  // The name that the files record for the interface of a channel, which may no longer exist. Empty
  // if no file names the channel.
  std::string interface_of(const std::string& channel) const;

 private:
  // Sets the lines that the files of all NICs share, but those of `without`.
  Result<> share_hugepages(const std::string& without) const;
  Result<> remove_file(const std::string& path) const;
  std::unique_ptr<os::DurableDirectory> open(const std::string& directory) const;

  std::string root_;
};

}  // namespace manactl::setup
