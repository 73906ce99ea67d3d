// SPDX-License-Identifier: MIT

#include "host/scrub_words.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace manactl::host {
namespace {

// Words that identify nobody and that logs, captured files or JSON files use.
constexpr std::string_view kWords[] = {"localhost",   "localdomain",
                                       "root",        "user",
                                       "users",       "host",
                                       "name",        "mana",
                                       "mana_ib",     "ib_uverbs",
                                       "ib_core",     "hv_netvsc",
                                       "netvsc",      "uio_hv_generic",
                                       "mlx5_core",   "mlx5_ib",
                                       "vmbus",       "dpdk",
                                       "eal",         "pmd",
                                       "net_mana",    "net_netvsc",
                                       "testpmd",     "dpdk-testpmd",
                                       "kernel",      "linux",
                                       "ubuntu",      "debian",
                                       "azure",       "azureuser",
                                       "microsoft",   "error",
                                       "message",     "code",
                                       "evidence",    "presence",
                                       "loaded",      "missing",
                                       "available",   "builtin",
                                       "blacklisted", "not_found",
                                       "denied",      "invalid",
                                       "illegal",     "unknown",
                                       "the",         "from",
                                       "for",         "file",
                                       "directory",   "port",
                                       "device",      "driver",
                                       "network",     "systemd",
                                       "etc",         "run",
                                       "usr",         "lib",
                                       "sys",         "proc",
                                       "dev",         "home",
                                       "mnt",         "none",
                                       "null",        "true",
                                       "false",       "yes",
                                       "sshd",        "sudo",
                                       "publickey",   "password",
                                       "hugepages",   "hugetlbfs",
                                       "default",     "public",
                                       "private",     "internal",
                                       "external",    "management",
                                       "production",  "gateway",
                                       "server",      "client",
                                       "connection",  "failed",
                                       "socket",      "each",
                                       "another",     "any",
                                       "your",        "its",
                                       "all",         "new",
                                       "both",        "same",
                                       "following",   "specified",
                                       "primary",     "secondary",
                                       "process",     "group",
                                       "nic",         "has",
                                       "was",         "will",
                                       "are",         "can",
                                       "slice",       "manager",
                                       "closed",      "returned",
                                       "response",    "remote",
                                       "peer",        "local",
                                       "unix",        "link",
                                       "down",        "address",
                                       "memory",      "queue",
                                       "service",     "session",
                                       "system",      "crontab",
                                       "reload",      "command",
                                       "this",        "that",
                                       "with",        "not",
                                       "and",         "set",
                                       "get",         "cron",
                                       "crond",       "http",
                                       "https",       "static",
                                       "transient"};

// The kernel and udev name interfaces and RDMA devices with these and a number.
constexpr std::string_view kInterfaces[] = {
    "eth",   "enp",   "ens",   "eno",  "bond",  "team", "veth", "docker", "virbr",  "vlan",
    "mana_", "mlx5_", "mlx4_", "tap",  "tun",   "dtap", "net_", "uio",    "uverbs", "pts",
    "tty",   "ttys",  "lcore", "port", "queue", "cpu",  "node", "vport",  "numa",   "socket"};

// The second and later bytes of a character in UTF-8.
bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80;
}

// Letters in UTF-8 begin with these bytes: those of Europe, and those of Asia. The bytes between
// begin quotes and dashes.
bool is_name_character(char c) {
  constexpr std::string_view kOthers = "._-$@+";
  const auto byte = static_cast<unsigned char>(c);
  return is_alphanumeric(c) || kOthers.find(c) != std::string_view::npos || is_continuation(c) ||
         (byte >= 0xc3 && byte <= 0xdf) || (byte >= 0xe3 && byte <= 0xed);
}

bool is_interface(std::string_view lower_name) {
  return std::any_of(std::begin(kInterfaces), std::end(kInterfaces), [&](auto prefix) {
    if (!lower_name.starts_with(prefix) || lower_name.size() == prefix.size()) return false;
    const auto rest = lower_name.substr(prefix.size());
    return is_digit(rest.front()) &&
           rest.find_first_not_of("0123456789spfdn") == std::string_view::npos;
  });
}

}  // namespace

bool is_number(std::string_view text) {
  if (text.starts_with("0x")) return std::all_of(text.begin() + 2, text.end(), is_hex);
  return std::all_of(
      text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.' || c == ':'; });
}

bool is_ignored(std::string_view name) {
  constexpr std::size_t kMinLength = 3;  // a shorter name would match other words
  if (name.size() < kMinLength || is_number(name)) return true;
  const auto word = lower(name.substr(0, kMaxNameLength));
  return is_interface(word) ||
         std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

std::string_view name_at(std::string_view text) {
  text = text.substr(0, kMaxNameLength);
  const auto* const end = std::find_if_not(text.begin(), text.end(), is_name_character);
  auto name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.remove_suffix(1);
  return name;
}

std::string_view last_name(std::string_view text) {
  text.remove_prefix(text.size() - std::min(text.size(), kMaxNameLength));
  const auto end = std::find_if_not(text.rbegin(), text.rend(), is_name_character);
  text.remove_prefix(static_cast<std::size_t>(text.rend() - end));
  while (!text.empty() && is_continuation(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view first_word(std::string_view name) {
  name = name.substr(0, kMaxNameLength + 1);
  const auto end = std::find_if_not(name.begin(), name.end(), is_alphanumeric);
  const auto length = static_cast<std::size_t>(end - name.begin());
  return name.substr(0, std::max<std::size_t>(length, 1));
}

bool is_unit_type(std::string_view suffix) {
  static constexpr std::string_view kTypes[] = {"service",
                                                "socket",
                                                "mount",
                                                "automount",
                                                "swap",
                                                "device",
                                                "path",
                                                "slice",
                                                "timer",
                                                "target",
                                                "scope"};
  return std::find(std::begin(kTypes), std::end(kTypes), suffix) != std::end(kTypes) ||
         std::any_of(suffix.begin(), suffix.end(), is_digit);
}

}  // namespace manactl::host
