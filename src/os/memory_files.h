// SPDX-License-Identifier: MIT
//
// A file tree in memory, for the contents of a bundle and for tests. Symbolic links are resolved as
// in the kernel; a link that would lead out of the tree ends at the root of the tree.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "os/files.h"

namespace manactl::os {

class MemoryFiles final : public Files {
 public:
  void add_file(std::string_view path, std::string text);
  void add_link(std::string_view path, std::string target);
  void add_directory(std::string_view path);

  // Sets the result of node(path), for files that bundles cannot contain, such as device nodes.
  void add_node(std::string_view path, const Node& node);

  // Makes writes to `path` fail with the errno `number`.
  void refuse_write(std::string_view path, int number);

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override;
  Result<std::string> link_target(std::string_view path) const override;
  Result<std::vector<std::string>> list(std::string_view dir) const override;
  Result<Node> node(std::string_view path) const override;
  Result<> write(std::string_view path, std::string_view text) override;

 private:
  struct Entry {
    enum class Kind { file, link, directory } kind = Kind::file;
    std::string text;  // contents of a file or target of a link
  };

  // Resolves all links in the path. A link in the last component is resolved only if `follow_last`.
  Result<std::string> canonical(std::string_view path, bool follow_last) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, Node, std::less<>> nodes_;
  std::map<std::string, int, std::less<>> refused_;
};

}  // namespace manactl::os
