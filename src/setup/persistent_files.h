// SPDX-License-Identifier: MIT
//
// The text of the files that prepare a NIC at every boot and keep network managers from its VF.
// Each file begins with a header that names manactl, and each rule names one device.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/files.h"
#include "setup/plan.h"

namespace manactl::setup {

inline constexpr const char* kUnitFiles = "/etc/systemd/system";
inline constexpr const char* kBootTarget = "/etc/systemd/system/multi-user.target.d";
inline constexpr const char* kTmpfiles = "/etc/tmpfiles.d";
inline constexpr const char* kNetworkdFiles = "/etc/systemd/network";
inline constexpr const char* kNetworkManagerFiles = "/etc/NetworkManager/conf.d";

struct PersistentFile {
  std::string directory;  // "/etc/systemd/system"
  std::string name, text;

  std::string path() const { return directory + "/" + name; }
};

// The files of --persist. `program` is the absolute path of manactl. Errc::invalid for a name that
// a unit file cannot contain, and for a NIC without an address, because a rule could not name it.
Result<std::vector<PersistentFile>> persistent_files(const Request& request,
                                                     const Entry& entry,
                                                     const std::string& program,
                                                     const os::Files& files);

// Whether manactl wrote the file for `interface`; for any interface if it is empty.
bool has_header(std::string_view text, const std::string& interface);

}  // namespace manactl::setup
