// SPDX-License-Identifier: MIT

#include "host/scrub.h"

#include <algorithm>

#include "base/text.h"
#include "host/scrub_files.h"
#include "host/scrub_json.h"
#include "host/scrub_secrets.h"
#include "host/scrub_text.h"

namespace manactl::host {
namespace {

bool has_controls(std::string_view text) {
  return text.find('\0') != std::string_view::npos || text.find('\x1b') != std::string_view::npos;
}

// Whether more than a tenth of a line is neither text nor white space.
bool is_binary(std::string_view line) {
  constexpr std::string_view kUsual = "\t\r\b\a\f\v";
  constexpr std::size_t kFew = 4;
  std::size_t others = 0;
  for (auto rest = line; !rest.empty();) {
    const auto length = utf8_length(rest);
    const bool control = static_cast<unsigned char>(rest.front()) < 0x20 || rest.front() == 0x7f;
    if (length == 0 || (control && kUsual.find(rest.front()) == std::string_view::npos)) ++others;
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return others > kFew && others * 10 > line.size();
}

std::string without_binary_lines(std::string_view rest) {
  std::string kept;
  kept.reserve(rest.size());
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    if (is_binary(line)) {
      kept += fmt::format("[{} bytes of binary data removed]", line.size());
    } else {
      kept += line;
    }
    if (end == std::string_view::npos) break;
    kept += '\n';
    rest.remove_prefix(end + 1);
  }
  return kept;
}

// The position in a path from which people choose the names; npos if they choose none. manactl
// searches for the names before it.
std::size_t chosen_part(std::string_view path) {
  static constexpr std::string_view kFolders[] = {
      "home/", "root/", "opt/", "mnt/", "srv/", "logs/", "tmp/", "usr/local/"};
  static constexpr std::string_view kConfigurations[] = {
      "etc/", "run/", "usr/lib/NetworkManager/", "usr/lib/systemd/"};
  constexpr std::string_view kHome = "/home/";
  for (const auto folder : kFolders) {
    if (path.starts_with(folder)) return folder.size();
  }
  auto chosen = path.find(kHome);
  if (chosen != std::string_view::npos) chosen += kHome.size();
  const bool configuration = std::any_of(std::begin(kConfigurations),
                                         std::end(kConfigurations),
                                         [&](auto folder) { return path.starts_with(folder); });
  if (!configuration) return chosen;
  // The file, or the directory "10-web01.network.d" of a file.
  std::size_t start = 0;
  for (auto end = path.find('/'); end != std::string_view::npos; end = path.find('/', start)) {
    const auto folder = path.substr(start, end - start);
    if (folder.ends_with(".d") && folder.find('.') + 2 < folder.size()) break;
    start = end + 1;
  }
  return std::min(chosen, start);
}

// The length of "/" or "../../" at the start of a path.
std::size_t root_length(std::string_view path) {
  return std::min(path.find_first_not_of("./"), path.size());
}

const std::string& read_path(const Recorded& recorded, const std::string& path) {
  const auto found = recorded.read_paths.find(path);
  return found == recorded.read_paths.end() ? path : found->second;
}

// Words that manactl finds in the bundle again are never replaced, even if a host has such a name.
void keep_words(const TreeEntries& tree, NameReplacer& names) {
  static constexpr std::string_view kFolders[] = {"sys/class/net/",
                                                  "sys/class/infiniband/",
                                                  "sys/module/",
                                                  "sys/bus/pci/drivers/",
                                                  "sys/bus/vmbus/drivers/"};
  for (const std::string_view folder : kFolders) {
    for (auto entry = tree.lower_bound(std::string(folder));
         entry != tree.end() && entry->first.starts_with(folder);
         ++entry) {
      const auto rest = std::string_view(entry->first).substr(folder.size());
      names.keep(rest.substr(0, rest.find('/')));
    }
  }
  for (const auto& [path, entry] : tree) {
    if (is_reply(path)) keep_words_of_json(entry.text, names);
  }
}

void learn_all(const Recorded& recorded, Scrubber& scrubber) {
  keep_words(recorded.tree, scrubber.names());
  for (const auto& [path, text] : recorded.identity_files) scrubber.names().learn_file(path, text);
  for (const auto& [path, entry] : recorded.tree) {
    const auto& read_as = read_path(recorded, path);
    const auto how = scrub_of(read_as);
    if (how == Scrub::log || how == Scrub::report) {
      scrubber.learn_log(path);
      scrubber.learn_log(entry.text);
    } else {
      scrubber.learn(path);
      scrubber.learn(entry.text);
    }
    const bool describes_devices = path.starts_with("sys/") || is_reply(path);
    if (describes_devices) {
      scrubber.ids().keep(path);
      scrubber.ids().keep(entry.text);
    }
    if (path.ends_with(".network")) scrubber.names().learn_file(path, entry.text);
    if (is_mounts(read_as)) scrubber.names().learn_mounts(entry.text);
  }
}

std::string scrubbed_as(Scrub how, const std::string& text, Scrubber& scrubber) {
  switch (how) {
    case Scrub::nothing:
      return text;
    case Scrub::addresses:
      return scrubber.scrubbed(text);
    case Scrub::log:
      return scrubber.scrubbed_log(text);
    case Scrub::json:
      return scrubbed_json(text, scrubber);
    case Scrub::report:
      return scrubbed_report(text, scrubber);
  }
  return {};
}

}  // namespace

void Scrubber::learn(std::string_view text) {
  macs_.learn(text);
  ips_.learn(text);
}

void Scrubber::learn_prose(std::string_view text) {
  learn(text);
  ids_.learn_log(text);
  names_.learn_log(text);
  learn_secrets(text, names_);
}

void Scrubber::learn_log(std::string_view text) {
  if (!has_controls(text)) return learn_prose(text);
  // As in scrubbed_log(): a part may end a name, or be in the middle of one.
  std::string joined;
  visit_parts(text, [&](std::string_view part) {
    learn_prose(part);
    joined += part;
  });
  learn_prose(joined);
}

std::string Scrubber::scrubbed_path(std::string_view path) {
  const auto root = root_length(path);
  const auto chosen = chosen_part(path.substr(root));
  if (chosen == std::string_view::npos) return scrubbed(path);
  return scrubbed(path.substr(0, root + chosen)) + scrubbed_prose(path.substr(root + chosen));
}

std::string Scrubber::scrubbed_target(std::string_view path, std::string_view target) {
  const auto rest = target.substr(root_length(target));
  const bool kernel = rest.starts_with("sys/") || rest.starts_with("proc/");
  const bool chosen = chosen_part(path) != std::string_view::npos &&
                      chosen_part(rest) == std::string_view::npos && !kernel;
  return chosen ? scrubbed_prose(target) : scrubbed_path(target);
}

std::string Scrubber::replaced(std::string_view text, bool prose) {
  std::string out;
  out.reserve(text.size());
  SecretFinder secrets(text);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = prose ? secrets.length_at(at) : 0;
    if (length > 0) out += names_.replacement(NameReplacer::kSecret, text.substr(at, length));
    if (length == 0 && prose) length = names_.replace(text, at, out);
    if (length == 0) length = macs_.replace(text, at, out);
    if (length == 0) length = ips_.replace(text, at, out);
    if (length == 0 && prose) length = ids_.replace(text, at, out);
    if (length == 0) out += text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string Scrubber::scrubbed_log(std::string_view text) {
  std::string joined;
  if (has_controls(text)) {
    // The parts are scrubbed alone, where "ESC[31m10.0.0.4" is an address, and then together, where
    // "10.0.ESC[31m0.4" is one. A log in UTF-16, as Windows writes it, has parts of one character.
    visit_parts(text, [&](std::string_view part) { joined += scrubbed_prose(part); });
    text = joined;
  }
  return scrubbed_prose(without_binary_lines(text));
}

ScrubCounts Scrubber::counts() const {
  const std::pair<std::string, std::size_t> all[] = {
      {"MAC addresses", macs_.count()},
      {"IP addresses", ips_.count()},
      {"hosts", names_.count(NameReplacer::kHost)},
      {"domains", names_.count(NameReplacer::kDomain)},
      {"users", names_.count(NameReplacer::kUser)},
      {"other names", names_.count(NameReplacer::kName) + names_.count(NameReplacer::kMount)},
      {"ids", ids_.count()},
      {"secrets", names_.count(NameReplacer::kSecret)}};
  ScrubCounts counts;
  for (const auto& one : all) {
    if (one.second > 0) counts.push_back(one);
  }
  return counts;
}

Result<TreeEntries> scrubbed_tree(Recorded recorded, ScrubCounts* counts) {
  keep_enumerator(recorded.tree);
  keep_routes_to_storage(recorded.tree);
  Scrubber scrubber;
  learn_all(recorded, scrubber);
  if (scrubber.is_full()) {
    return fail(
        Errc::invalid,
        fmt::format("there are too many addresses or names to scrub (at most {} of each kind, and "
                    "names of {} lengths with the same first word); use parts of the logs",
                    kMaxKnown - 1,
                    NameReplacer::kMaxLengths));
  }
  TreeEntries result;
  for (auto& [path, entry] : recorded.tree) {
    TreeEntry scrubbed{entry.kind, ""};
    if (entry.kind == TreeEntry::Kind::link) {
      scrubbed.text = scrubber.scrubbed_target(path, kept_target(path, entry.text));
    } else if (entry.kind == TreeEntry::Kind::file && !entry.text.empty()) {
      const auto& read_as = read_path(recorded, path);
      const auto kept = kept_text(read_as, std::move(entry.text), scrubber.names());
      scrubbed.text = scrubbed_as(scrub_of(read_as), kept, scrubber);
    }
    entry.text = {};  // frees the memory
    result[scrubber.scrubbed_path(path)] = std::move(scrubbed);
  }
  if (counts != nullptr) *counts = scrubber.counts();
  return result;
}

}  // namespace manactl::host
