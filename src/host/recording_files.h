// SPDX-License-Identifier: MIT
//
// Records the files and links that are read. Files are recorded under their paths without symbolic
// links, together with the links that lead to them, so that the same paths work in the tree.

#pragma once

#include <map>
#include <optional>
#include <string>

#include "host/tarball.h"
#include "os/files.h"

namespace manactl::host {

class RecordingFiles final : public os::Files {
 public:
  explicit RecordingFiles(os::Files& real) : real_(real) {}

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override;
  Result<std::string> link_target(std::string_view path) const override;
  Result<std::vector<std::string>> list(std::string_view dir) const override;
  Result<os::Node> node(std::string_view path) const override;
  Result<> write(std::string_view path, std::string_view text) override;

  // The recorded files and links, and directories that have no entry below them.
  TreeEntries entries() const;

  const std::map<std::string, os::Node>& nodes() const { return nodes_; }

  // The paths that were passed to read(), by the paths without symbolic links.
  const std::map<std::string, std::string>& read_paths() const { return read_paths_; }

  // Read errors of the files in `entries`, which entries() has returned. Absent files need no
  // error, because the tree lacks them.
  std::map<std::string, Error> errors(const TreeEntries& entries) const;

 private:
  std::string canonical(std::string_view path, bool follow_last) const;

  // Returns the target of a link, and nothing for another file. Fails if there is no file.
  Result<std::optional<std::string>> link_at(const std::string& path) const;

  os::Files& real_;
  // These members are mutable because the interface reads through const functions.
  mutable TreeEntries entries_;
  mutable TreeEntries placeholders_;  // existing paths whose contents were not read
  mutable std::map<std::string, std::optional<std::string>> links_;
  mutable std::map<std::string, std::string> read_paths_;
  mutable std::map<std::string, os::Node> nodes_;
  mutable std::map<std::string, Error> errors_;
};

}  // namespace manactl::host
