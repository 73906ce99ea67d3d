// SPDX-License-Identifier: MIT

#include "os/memory_files.h"

#include <cerrno>

#include "base/text.h"

namespace manactl::os {
namespace {

// A key is a path without leading, trailing or double slashes; the root is the empty key.
std::string key_of(std::string_view path) {
  std::string key;
  for (const auto part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (!key.empty()) key += '/';
    key += part;
  }
  return key;
}

std::string parent_of(const std::string& key) {
  const auto slash = key.rfind('/');
  return slash == std::string::npos ? "" : key.substr(0, slash);
}

std::string doing(std::string_view what, std::string_view path) {
  return fmt::format("cannot {} '/{}'", what, printable(path));
}

}  // namespace

void MemoryFiles::add_directory(std::string_view path) {
  for (auto key = key_of(path); !key.empty(); key = parent_of(key)) {
    if (!entries_.try_emplace(key, Entry{Entry::Kind::directory, {}}).second) return;
  }
}

void MemoryFiles::add_file(std::string_view path, std::string text) {
  const auto key = key_of(path);
  add_directory(parent_of(key));
  entries_.insert_or_assign(key, Entry{Entry::Kind::file, std::move(text)});
}

void MemoryFiles::add_link(std::string_view path, std::string target) {
  const auto key = key_of(path);
  add_directory(parent_of(key));
  entries_.insert_or_assign(key, Entry{Entry::Kind::link, std::move(target)});
}

void MemoryFiles::add_node(std::string_view path, const Node& node) {
  const auto key = key_of(path);
  add_directory(parent_of(key));
  const auto kind = node.type == Node::Type::directory ? Entry::Kind::directory : Entry::Kind::file;
  entries_.try_emplace(key, Entry{kind, {}});
  nodes_.insert_or_assign(key, node);
}

void MemoryFiles::refuse_write(std::string_view path, int number) {
  refused_.insert_or_assign(key_of(path), number);
}

Result<std::string> MemoryFiles::canonical(std::string_view path, bool follow_last) const {
  const auto target_of = [&](const std::string& here,
                             bool is_last) -> Result<std::optional<std::string>> {
    const auto found = entries_.find(here);
    if (found == entries_.end()) return fail_errno(ENOENT, doing("find", path));
    const auto kind = found->second.kind;
    if (kind == Entry::Kind::link && (follow_last || !is_last)) return found->second.text;
    if (kind == Entry::Kind::file && !is_last) return fail_errno(ENOTDIR, doing("follow", path));
    return std::nullopt;
  };
  return os::canonical(path, target_of);
}

Result<std::string> MemoryFiles::read(std::string_view path, std::size_t max_bytes) const {
  auto key = canonical(path, true);
  if (!key) return key;
  const auto entry = entries_.find(*key);
  if (entry == entries_.end() || entry->second.kind == Entry::Kind::directory) {
    return fail_errno(EISDIR, doing("read", path));
  }
  const auto node = nodes_.find(*key);
  if (node != nodes_.end() && node->second.type != Node::Type::file) {
    return fail_errno(EINVAL, doing("read", path));
  }
  if (node != nodes_.end() && !node->second.readable) {
    return fail_errno(EACCES, doing("read", path));
  }
  std::string text = entry->second.text;
  if (text.size() > max_bytes) {
    return fail(
        Errc::invalid,
        fmt::format("{}: it is larger than {}", doing("read", path), human_bytes(max_bytes)));
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Result<std::string> MemoryFiles::link_target(std::string_view path) const {
  auto key = canonical(path, false);
  if (!key) return key;
  const auto entry = entries_.find(*key);
  if (entry == entries_.end() || entry->second.kind != Entry::Kind::link) {
    return fail_errno(EINVAL, doing("read the link", path));
  }
  return entry->second.text;
}

Result<std::vector<std::string>> MemoryFiles::list(std::string_view dir) const {
  const auto key = canonical(dir, true);
  if (!key) return tl::unexpected<Error>(key.error());
  const auto entry = entries_.find(*key);
  if (entry != entries_.end() && entry->second.kind != Entry::Kind::directory) {
    return fail_errno(ENOTDIR, doing("list", dir));
  }
  std::vector<std::string> names;
  const std::string prefix = key->empty() ? "" : *key + '/';
  auto it = entries_.lower_bound(prefix);
  while (it != entries_.end() && it->first.starts_with(prefix)) {
    const auto rest = std::string_view(it->first).substr(prefix.size());
    const auto slash = rest.find('/');
    if (slash == std::string_view::npos) {
      names.emplace_back(rest);
      ++it;
    } else {
      // This child is already in `names`. Skip all entries below it: '0' follows '/' in ASCII.
      it = entries_.lower_bound(prefix + std::string(rest.substr(0, slash)) + '0');
    }
  }
  return names;
}

Result<Node> MemoryFiles::node(std::string_view path) const {
  const auto key = canonical(path, true);
  if (!key) return tl::unexpected<Error>(key.error());
  const auto given = nodes_.find(*key);
  if (given != nodes_.end()) return given->second;
  const auto entry = entries_.find(*key);
  Node node;
  node.readable = true;
  node.writable = true;
  if (entry == entries_.end() || entry->second.kind == Entry::Kind::directory) {
    node.type = Node::Type::directory;
    node.mode = 0755;
  } else {
    node.type = Node::Type::file;
    node.mode = 0644;
  }
  return node;
}

Result<> MemoryFiles::write(std::string_view path, std::string_view text) {
  const auto key = canonical(path, true);
  if (!key) return tl::unexpected<Error>(key.error());
  const auto refused = refused_.find(*key);
  if (refused != refused_.end()) return fail_errno(refused->second, doing("write", path));
  const auto entry = entries_.find(*key);
  if (entry == entries_.end() || entry->second.kind == Entry::Kind::directory) {
    return fail_errno(EISDIR, doing("write", path));
  }
  entry->second.text = std::string(text);
  return {};
}

}  // namespace manactl::os
