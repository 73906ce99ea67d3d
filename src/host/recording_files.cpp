// SPDX-License-Identifier: MIT

#include "host/recording_files.h"

#include <cerrno>

#include "base/text.h"
#include "host/scrub_files.h"

namespace manactl::host {

Result<std::optional<std::string>> RecordingFiles::link_at(const std::string& path) const {
  const auto known = links_.find(path);
  if (known != links_.end()) return known->second;
  auto target = real_.link_target(path);
  const bool is_other = !target && target.error().sys == EINVAL;  // readlink(2)
  if (!target && !is_other) return tl::unexpected<Error>(target.error());
  std::optional<std::string> link;
  if (target) {
    link = std::move(*target);
    entries_[path] = {TreeEntry::Kind::link, *link};
  }
  links_[path] = link;
  return link;
}

std::string RecordingFiles::canonical(std::string_view path, bool follow_last) const {
  bool is_missing = false;  // links_ must not keep every beginning of a path that leads nowhere
  const auto target_of = [&](const std::string& here,
                             bool is_last) -> Result<std::optional<std::string>> {
    if (is_missing || (is_last && !follow_last)) return std::nullopt;
    auto target = link_at(here);
    is_missing = !target;
    return target.value_or(std::nullopt);
  };
  return os::canonical(path, target_of).value_or(std::string(path));
}

Result<std::string> RecordingFiles::read(std::string_view path, std::size_t max_bytes) const {
  auto text = real_.read(path, max_bytes);
  const std::string place = canonical(path, true);
  if (text) {
    auto kept = recorded_text(std::string(path), *text);
    // Command lines that name no device are not recorded.
    if (kept.empty() && path.starts_with("proc/") && path.ends_with("/cmdline")) return text;
    entries_[place] = {TreeEntry::Kind::file, kept + "\n"};  // read() removes this newline
    read_paths_[place] = path;
  } else {
    errors_.emplace(path, text.error());
  }
  return text;
}

Result<std::string> RecordingFiles::link_target(std::string_view path) const {
  auto target = real_.link_target(path);
  if (target) entries_[canonical(path, false)] = {TreeEntry::Kind::link, *target};
  return target;
}

Result<std::vector<std::string>> RecordingFiles::list(std::string_view dir) const {
  auto names = real_.list(dir);
  const std::string place = canonical(dir, true);
  if (!names) {
    errors_.emplace(dir, names.error());
    return names;
  }
  placeholders_[place] = {TreeEntry::Kind::directory, ""};
  if (place == "proc") return names;  // processes whose files are not read are not recorded
  for (const auto& name : *names)
    placeholders_.try_emplace(place.empty() ? name : fmt::format("{}/{}", place, name));
  return names;
}

Result<os::Node> RecordingFiles::node(std::string_view path) const {
  auto node = real_.node(path);
  const std::string place = canonical(path, true);
  if (!node) return node;
  const bool directory = node->type == os::Node::Type::directory;
  placeholders_[place] = {directory ? TreeEntry::Kind::directory : TreeEntry::Kind::file, ""};
  if (!directory && node->type != os::Node::Type::file) nodes_[std::string(path)] = *node;
  return node;
}

Result<> RecordingFiles::write(std::string_view path, std::string_view text) {
  return real_.write(path, text);
}

TreeEntries RecordingFiles::entries() const {
  TreeEntries all = entries_;
  all.insert(placeholders_.begin(), placeholders_.end());
  // Omit directories that have entries below them: those entries imply the directories.
  for (auto entry = all.begin(); entry != all.end();) {
    const std::string below = entry->first + "/";
    const auto next = all.lower_bound(below);
    const bool has_children = next != all.end() && next->first.starts_with(below);
    const bool is_implied =
        entry->first.empty() || (has_children && entry->second.kind != TreeEntry::Kind::link);
    entry = is_implied ? all.erase(entry) : std::next(entry);
  }
  return all;
}

std::map<std::string, Error> RecordingFiles::errors(const TreeEntries& entries) const {
  std::map<std::string, Error> errors;
  for (const auto& [path, error] : errors_) {
    const std::string place = canonical(path, true);
    const bool exists = entries.count(place) != 0;
    if (error.code != Errc::not_found || exists) errors.emplace(path, error);
  }
  return errors;
}

}  // namespace manactl::host
