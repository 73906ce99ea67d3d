// SPDX-License-Identifier: MIT
//
// Collects names from the lines of a log by the forms in which programs print them. Each function
// reads a line once and adds what it finds to `names`.

#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

#include "host/scrub_names.h"

namespace manactl::host {

// A line, or a piece of a very long line. It remembers which pairs of characters occur, because
// most lines contain none of the about hundred words that the functions below search for.
class LogLine {
 public:
  // `lower` is `text` in lower case. Both must outlive the object.
  LogLine(std::string_view text, std::string_view lower, bool is_start = true);

  std::string_view text, lower;
  bool is_start;  // false for the second and later pieces of a line

  // The position of `word`, which is in lower case, from `at` on.
  std::size_t find(std::string_view word, std::size_t at = 0) const;

  bool mentions(std::string_view word) const { return find(word) != std::string_view::npos; }

 private:
  static constexpr std::size_t kPairs = 4096;

  static std::size_t pair_at(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const auto second = static_cast<unsigned char>(text[at + 1]);
    return ((first * 37U) ^ second) % kPairs;
  }

  std::bitset<kPairs> pairs_;
};

// Calls visit(rest) with the text after each occurrence of `key`, which is in lower case.
template <class Visit>
void after_each(const LogLine& line, std::string_view key, Visit visit) {
  for (auto at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    if (is_alphanumeric(key.front()) && !begins_word(line.text, at)) continue;
    visit(line.text.substr(at + key.size()));
  }
}

// Users of sshd, sudo, su, PAM, systemd-logind, cron, `id`, `who`, `last`, `ps` and `ls`; home
// directories; accounts of Windows and lines of passwd(5).
void learn_users(const LogLine& line, NameReplacer& names);

// Hosts of syslog and journal lines, uname, ping, ssh, NFS, CIFS and iperf; fully qualified names.
void learn_hosts(const LogLine& line, NameReplacer& names);

// Users and hosts of shell prompts, of commands such as ssh, and of mail addresses.
void learn_prompts(const LogLine& line, NameReplacer& names);

// The values of keys such as "username=", "rhost=", and "hostname:".
void learn_keys(const LogLine& line, NameReplacer& names);

// Resources of Azure: paths of the Resource Manager, names in Azure's domains, options of `az`.
void learn_resources(const LogLine& line, NameReplacer& names);

// Names that services and DPDK print: waagent, cloud-init, kubelet, NetworkManager, chronyd, OVN.
void learn_services(const LogLine& line, NameReplacer& names);

// Names in the metadata of a VM, which may have several lines: {"name":"web01","vmId":"..."}.
void learn_metadata(std::string_view text, NameReplacer& names);

// Calls the functions above for all lines of `text`.
void learn_lines(std::string_view text, NameReplacer& names);

}  // namespace manactl::host
