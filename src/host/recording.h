// SPDX-License-Identifier: MIT
//
// What was asked of a system, as a tree that answers the same: files, links, and JSON answers.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/bundle.h"
#include "host/json_answers.h"

namespace manactl::host {

struct TreeEntry {
  enum class Kind { file, link, directory } kind = Kind::file;
  std::string text;  // contents, or the link's target

  bool operator==(const TreeEntry&) const = default;
};

using TreeEntries = std::map<std::string, TreeEntry>;  // by path below the root

// Remembers every file that is asked for, each under its path without links and the links beside
// it, so that the tree can be followed in the same way.
class RecordingFiles final : public os::Files {
 public:
  explicit RecordingFiles(os::Files& real) : real_(real) {}

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override;
  Result<std::string> link_target(std::string_view path) const override;
  Result<std::vector<std::string>> list(std::string_view dir) const override;
  Result<os::Node> node(std::string_view path) const override;
  Result<> write(std::string_view path, std::string_view text) override;

  // What was seen until now, without places that turned out to be directories.
  TreeEntries entries() const;

  const std::map<std::string, os::Node>& nodes() const { return nodes_; }

  // Errors of files that are there; "not found" is told by their absence.
  std::map<std::string, Error> errors() const;

 private:
  std::string canonical(std::string_view path, bool follow_last) const;
  std::optional<std::string> link_at(const std::string& path) const;
  void remember(const std::string& path, TreeEntry entry) const;
  void remember_error(std::string_view path, const Error& error) const;

  os::Files& real_;
  // Asking is const to everybody else.
  mutable TreeEntries entries_;
  mutable TreeEntries hints_;  // known to be there, contents not asked
  mutable std::map<std::string, std::optional<std::string>> links_;
  mutable std::map<std::string, os::Node> nodes_;
  mutable std::map<std::string, Error> errors_;
};

class Recorder : public RecordingSystem {
 public:
  // Everything that the bundle holds, except for extra files.
  virtual TreeEntries tree() const = 0;

  // Of the recorded system, to be scrubbed; empty when unknown.
  virtual std::string host_name() const = 0;
};

}  // namespace manactl::host
