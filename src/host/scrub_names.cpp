// SPDX-License-Identifier: MIT

#include "host/scrub_names.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "host/scrub_domains.h"
#include "host/scrub_lines.h"
#include "host/scrub_text.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

// Whether a path is one that distributions and manuals use: "/dev/hugepages1G", "/mnt/huge".
bool is_usual_mount(std::string_view path) {
  constexpr std::string_view kPool = "/dev/hugepages";
  if (path == "/" || path == "/mnt/huge") return true;
  return path.starts_with(kPool) &&
         path.find_first_not_of("-0123456789kKMGB", kPool.size()) == std::string_view::npos;
}

}  // namespace

void NameReplacer::add_whole(std::string_view kind, std::string_view name) {
  const auto text = lower(name.substr(0, kMaxNameLength + 1));
  if (is_full_ || text.empty() || text.size() > kMaxNameLength || kept_.count(text) != 0) return;
  const auto [entry, is_new] = names_.try_emplace(text, Name{kind, ""});
  if (!is_new) return;
  auto& lengths = lengths_[std::string(first_word(text))];
  lengths.insert(text.size());
  is_full_ = names_.size() >= kMaxKnown || lengths.size() > kMaxLengths;
}

void NameReplacer::add(std::string_view kind, std::string_view name) {
  while (name.ends_with('.') || name.ends_with('$')) name.remove_suffix(1);
  while (name.starts_with('.') || name.starts_with('~')) name.remove_prefix(1);
  if (is_ignored(name) || is_public_name(name)) return;
  const auto dot = name.find('.');
  if (kind == kHost && dot != std::string_view::npos) {
    add(kHost, name.substr(0, dot));
    if (!is_top_level(name.substr(dot + 1))) add(kDomain, name.substr(dot + 1));
    return;
  }
  add_whole(kind, name);
}

void NameReplacer::add_full_name(std::string_view name) {
  const auto label = name.substr(0, name.find('.'));
  const auto domain = name.substr(label.size() + 1);
  if (is_top_level(domain)) return add_whole(kDomain, name);
  if (label.find_first_of("0123456789-") != std::string_view::npos) return add(kHost, name);
  // "www" alone is a usual word.
  add_whole(kFullName, name);
  add(kDomain, domain);
}

void NameReplacer::add_secret(std::string_view secret) {
  constexpr std::size_t kMaxSecrets = 100'000;
  const auto lengths = lengths_.find(lower(first_word(secret)));
  const bool is_much = secrets_ >= kMaxSecrets ||
                       (lengths != lengths_.end() && lengths->second.size() >= kMaxLengths);
  if (is_much) return;
  ++secrets_;
  add_whole(kSecret, secret);
}

void NameReplacer::learn_account(std::string_view line) {
  constexpr std::uint64_t kFirstUser = 1000;  // UID_MIN of login.defs(5)
  constexpr std::uint64_t kNobody = 65534;
  const auto fields = split(line, ':');
  if (fields.size() < 6) return;
  const auto uid = parse_unsigned(fields[2], UINT32_MAX);
  if (!uid || *uid < kFirstUser || *uid == kNobody) return;
  add(kUser, fields[0]);
  for (const auto part : split(fields[4], ',')) add(kUser, trim(part));
}

void NameReplacer::learn_hosts_file(std::string_view line) {
  const auto fields = words(line);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (!fields[i].starts_with("ip6-") && !fields[i].starts_with("localhost"))
      add(kHost, fields[i]);
  }
}

void NameReplacer::learn_resolver(std::string_view line) {
  const auto fields = words(line);
  const bool domains = !fields.empty() && (fields[0] == "search" || fields[0] == "domain");
  for (std::size_t i = 1; domains && i < fields.size(); ++i) add(kDomain, fields[i]);
}

void NameReplacer::learn_network(std::string_view line) {
  const auto equals = line.find('=');
  const auto key = trim(line.substr(0, equals));
  if (equals == std::string_view::npos || (key != "Domains" && key != "Hostname")) return;
  for (const auto name : words(line.substr(equals + 1)))
    add(key == "Domains" ? kDomain : kHost, name);
}

void NameReplacer::learn_domain(std::string_view line) {
  if (!line.starts_with('(')) add(kDomain, trim(line));
}

void NameReplacer::learn_host_name(std::string_view line) {
  add(kHost, trim(line));
}

void NameReplacer::learn_file(const std::string& path, std::string_view text) {
  const auto learn = path == "etc/passwd"           ? &NameReplacer::learn_account
                     : path == "etc/hosts"          ? &NameReplacer::learn_hosts_file
                     : path == "etc/resolv.conf"    ? &NameReplacer::learn_resolver
                     : path.ends_with(".network")   ? &NameReplacer::learn_network
                     : path.ends_with("domainname") ? &NameReplacer::learn_domain
                                                    : &NameReplacer::learn_host_name;
  for (const auto line : split(text, '\n')) (this->*learn)(line.substr(0, line.find('#')));
}

void NameReplacer::learn_mounts(std::string_view text) {
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);  // device, path, type, options
    if (fields.size() < 4) continue;
    const bool hugepages = fields[2] == "hugetlbfs";
    const bool remote = fields[3].find("addr=") != std::string_view::npos;
    if (!hugepages && !remote) continue;
    if (!is_usual_mount(fields[1])) add_whole(kMount, fields[1]);
    if (!remote) continue;
    const auto device = fields[0];
    if (device.starts_with("//")) {
      add(kHost, device.substr(2, device.find('/', 2) - 2));
    } else {
      const auto server = device.substr(0, device.find(':'));
      if (name_at(server) == server) add(kHost, server);
    }
    if (device.find('/') != std::string_view::npos) add_whole(kName, device);
    learn_keys({line, lower(line)}, *this);
  }
}

void NameReplacer::learn_log(std::string_view text) {
  learn_lines(text, *this);
}

// A replacement never equals a name of the machine: a log is scrubbed twice.
const std::string& NameReplacer::replacement_of(const std::string& text, Name& name) {
  if (name.replacement.empty() && name.kind == kFullName) {
    const auto dot = text.find('.');
    const auto host = replacement(kHost, text.substr(0, dot));
    name.replacement = fmt::format("{}.{}", host, replacement(kDomain, text.substr(dot + 1)));
  }
  while (name.replacement.empty()) {
    auto candidate = fmt::format("{}{}", name.kind, ++numbers_[name.kind]);
    if (names_.count(candidate) == 0) name.replacement = std::move(candidate);
  }
  return name.replacement;
}

std::string NameReplacer::replacement(std::string_view kind, std::string_view text) {
  const auto key = lower(text);
  const auto found = names_.find(key);
  if (found != names_.end()) return replacement_of(key, found->second);
  const auto number = parse_unsigned(key.substr(std::min(kind.size(), key.size())), count(kind));
  if (key.starts_with(kind) && number) return key;  // a log is scrubbed twice
  if (key.size() > kMaxNameLength || names_.size() >= 2 * kMaxKnown)
    return fmt::format("{}0", kind);
  return replacement_of(key, names_.emplace(key, Name{kind, ""}).first->second);
}

// Whether the name at `at` is part of a kept word: "core" of "ib_core" or of "ib_core.ko".
bool NameReplacer::is_in_kept_word(std::string_view text,
                                   std::size_t at,
                                   std::size_t length) const {
  constexpr std::string_view kPartEnds = "@.$+";
  if (kept_.empty()) return false;
  auto start = at - last_name(text.substr(0, at)).size();
  for (auto i = start + 1; i <= at; ++i) {
    if (follows_escape(text, i)) start = i;
  }
  const auto word = name_at(text.substr(start));
  const auto offset = at - start;
  if (offset + length > word.size()) return false;
  if (kept_.count(lower(word)) != 0) return true;
  const auto before = word.substr(0, offset).find_last_of(kPartEnds) + 1;  // 0 if there is none
  const auto part = word.substr(before, word.find_first_of(kPartEnds, offset) - before);
  return offset + length <= before + part.size() && kept_.count(lower(part)) != 0;
}

std::size_t NameReplacer::replace(std::string_view text, std::size_t at, std::string& out) {
  if (names_.empty() || (is_alphanumeric(text[at]) && !begins_word(text, at))) return 0;
  const auto lengths = lengths_.find(lower(first_word(text.substr(at))));
  if (lengths == lengths_.end()) return 0;
  const auto window = lower(text.substr(at, kMaxNameLength));
  for (const auto length : lengths->second) {
    if (length > window.size() || is_alphanumeric(at_or_end(text, at + length))) continue;
    const auto found = names_.find(window.substr(0, length));
    if (found == names_.end() || is_in_kept_word(text, at, length)) continue;
    out += replacement_of(found->first, found->second);
    return length;
  }
  return 0;
}

std::string NameReplacer::mount(std::string_view path) {
  if (is_usual_mount(path)) return std::string(path);
  const auto found = names_.find(lower(path));
  // add_whole() ignores paths that are too long.
  return found == names_.end() ? fmt::format("{}0", kMount)
                               : replacement_of(found->first, found->second);
}

}  // namespace manactl::host
