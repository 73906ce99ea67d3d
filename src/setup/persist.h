// SPDX-License-Identifier: MIT
//
// Files that prepare a NIC again at every boot, and keep network managers from its VF. Each carries
// a header that names manactl; nothing without it is overwritten or removed.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/durable.h"
#include "os/files.h"
#include "setup/plan.h"

namespace manactl::setup {

struct PersistentFile {
  std::string directory;  // "/etc/systemd/system"
  std::string name, text;

  std::string path() const { return directory + "/" + name; }
};

// What --persist writes. `program` is the absolute path of manactl. Errc::invalid for a name that
// cannot stand in a unit. `mac` is the VF's.
Result<std::vector<PersistentFile>> persistent_files(const Request& request,
                                                     const Entry& entry,
                                                     const std::string& program,
                                                     const os::Files& files);

class Persistence {
 public:
  explicit Persistence(std::string root = "") : root_(std::move(root)) {}

  // All or none: what was written is removed again when one cannot be.
  Result<> write(const std::vector<PersistentFile>& files) const;

  // Ours, of `interface` or of all with an empty one: paths.
  Result<std::vector<std::string>> list(const std::string& interface) const;
  Result<std::vector<std::string>> remove(const std::string& interface) const;

 private:
  std::unique_ptr<os::Durable> open(const std::string& directory) const;

  std::string root_;
};

}  // namespace manactl::setup
