// SPDX-License-Identifier: MIT
//
// A tree in memory: the contents of a bundle, and the fake of many tests. Links inside the tree are
// followed as the kernel follows them; nothing outside of it can be named.

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

  // Overrides what node() says of a path; needed for device nodes, which no archive carries.
  void add_node(std::string_view path, const Node& node);

  // Writing here fails with this errno, as a busy driver does.
  void refuse_write(std::string_view path, int number);

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override;
  Result<std::string> link_target(std::string_view path) const override;
  Result<std::vector<std::string>> list(std::string_view dir) const override;
  Result<Node> node(std::string_view path) const override;
  Result<> write(std::string_view path, std::string_view text) override;

 private:
  struct Entry {
    enum class Kind { file, link, directory } kind = Kind::file;
    std::string text;  // contents, or the link's target
  };

  // The path with every link in it followed; the last component's too when `follow_last`.
  Result<std::string> canonical(std::string_view path, bool follow_last) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, Node, std::less<>> nodes_;
  std::map<std::string, int, std::less<>> refused_;
};

}  // namespace manactl::os
