// SPDX-License-Identifier: MIT
//
// Files that prepare a NIC at every boot and keep network managers from its VF. Each file begins
// with a header that names manactl. Files without this header are never overwritten or removed.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/durable_directory.h"
#include "os/files.h"
#include "setup/plan.h"

namespace manactl::setup {

struct PersistentFile {
  std::string directory;  // "/etc/systemd/system"
  std::string name, text;

  std::string path() const { return directory + "/" + name; }
};

// The files of --persist. `program` is the absolute path of manactl. Errc::invalid for a name that
// a unit file cannot contain.
Result<std::vector<PersistentFile>> persistent_files(const Request& request,
                                                     const Entry& entry,
                                                     const std::string& program,
                                                     const os::Files& files);

class Persistence {
 public:
  explicit Persistence(std::string root = "") : root_(std::move(root)) {}

  // If a write fails, removes the files that this call has created.
  Result<> write(const std::vector<PersistentFile>& files) const;

  // Paths of the files whose header names `interface`; of all files with a header if it is empty.
  Result<std::vector<std::string>> list(const std::string& interface) const;
  Result<std::vector<std::string>> remove(const std::string& interface) const;

 private:
  std::unique_ptr<os::DurableDirectory> open(const std::string& directory) const;

  std::string root_;
};

}  // namespace manactl::setup
