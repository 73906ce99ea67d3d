// SPDX-License-Identifier: MIT

#include "os/setting_commands.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "os/interface_settings.h"

namespace manactl::os {
namespace {

struct CommandForm {
  std::string_view key;  // the whole key, or its beginning if it ends with '/'
  std::string_view
      command;  // with {interface}, {rest} of the key, {value}, and its {first} and {last} words
  // The names of the words of the value. Those that differ follow the command. "?" marks a switch,
  // whose words are 1 and 0.
  std::string_view words = {};
};

constexpr CommandForm kCommandForms[] = {
    {"ethtool/channels", "ethtool -L {interface}", "rx tx other combined"},
    {"ethtool/rings", "ethtool -G {interface}", "rx rx-mini rx-jumbo tx"},
    {"ethtool/coalescing",
     "ethtool -C {interface}",
     "rx-usecs rx-frames rx-usecs-irq rx-frames-irq tx-usecs tx-frames tx-usecs-irq tx-frames-irq "
     "stats-block-usecs adaptive-rx? adaptive-tx? pkt-rate-low rx-usecs-low rx-frames-low "
     "tx-usecs-low tx-frames-low pkt-rate-high rx-usecs-high rx-frames-high tx-usecs-high "
     "tx-frames-high sample-interval"},
    {"ethtool/pause", "ethtool -A {interface}", "autoneg? rx? tx?"},
    {"ethtool/msglevel", "ethtool -s {interface} msglvl {value}"},
    {"ethtool/time-stamping", "hwstamp_ctl -i {interface} -t {first} -r {last}"},
    {"ethtool/feature/", "ethtool -K {interface} {rest} {value}"},
    {"link/mac", "ip link set dev {interface} address {value}"},
    {"link/gso-max-size", "ip link set dev {interface} gso_max_size {value}"},
    {"link/gso-max-segs", "ip link set dev {interface} gso_max_segs {value}"},
    {"link/gro-max-size", "ip link set dev {interface} gro_max_size {value}"},
    {"link/gso-ipv4-max-size", "ip link set dev {interface} gso_ipv4_max_size {value}"},
    {"link/gro-ipv4-max-size", "ip link set dev {interface} gro_ipv4_max_size {value}"},
    {"link/ipv6-token", "ip token set {value} dev {interface}"},
    {"link/altname/", "ip link property add dev {interface} altname {rest}"},
    {"link/neighbor/",
     "ip neighbor replace {rest} lladdr {first} nud permanent protocol {last} dev {interface}"},
    {"link/proxy/", "ip neighbor replace proxy {rest} dev {interface}"},
    {"link/fdb/", "bridge fdb add {rest} dev {interface} self permanent"},
    {"link/multicast/", "ip maddress add {rest} dev {interface}"},
    {"link/qdisc", "tc qdisc replace dev {interface} root {first}"},
    {"proc/", "echo {value} >/{path}"},
    {"sys/", "echo {value} >/{path}"},
};

// The options of ip-link(8) for the flags of read_link_settings().
struct FlagOption {
  std::string_view flag, option, set, cleared;
};

constexpr FlagOption kFlagOptions[] = {
    {"promisc", "promisc", "on", "off"},
    {"allmulti", "allmulticast", "on", "off"},
    {"noarp", "arp", "off", "on"},
    {"multicast", "multicast", "on", "off"},
};

std::string flags_command(const std::string& value,
                          const std::string& now,
                          const std::string& interface) {
  const auto has = [](const std::string& flags, std::string_view flag) {
    const auto names = words(flags);
    return std::ranges::find(names, flag) != names.end();
  };
  std::string options;
  for (const auto& option : kFlagOptions) {
    const bool is_set = has(value, option.flag);
    if (is_set == has(now, option.flag)) continue;
    options += fmt::format(" {} {}", option.option, is_set ? option.set : option.cleared);
  }
  return options.empty() ? options : fmt::format("ip link set dev {}{}", interface, options);
}

std::string word_options(std::string_view names, const std::string& value, const std::string& now) {
  const auto options = words(names), wanted = words(value), present = words(now);
  std::string text;
  for (std::size_t i = 0; i < std::min(options.size(), wanted.size()); ++i) {
    if (i < present.size() && present[i] == wanted[i]) continue;
    const bool is_switch = options[i].ends_with('?');
    const auto name = options[i].substr(0, options[i].size() - (is_switch ? 1 : 0));
    const auto word = is_switch ? (wanted[i] == "0" ? "off" : "on") : wanted[i];
    text += fmt::format(" {} {}", name, word);
  }
  return text;
}

}  // namespace

std::string setting_command(const std::string& key,
                            const std::string& value,
                            const std::string& now,
                            const std::string& interface) {
  const auto name = shell_word(interface);
  if (key == "link/flags") return flags_command(value, now, name);
  if (key == "link/qdisc" && value == kDefaultQueueing) {
    return fmt::format("tc qdisc del dev {} root", name);
  }
  const auto form = std::ranges::find_if(kCommandForms, [&](const CommandForm& it) {
    return it.key.ends_with('/') ? key.starts_with(it.key) : key == it.key;
  });
  if (form == std::end(kCommandForms)) return {};
  const auto options = word_options(form->words, value, now);
  if (!form->words.empty() && options.empty()) return {};
  auto path = key;
  if (const auto at = path.find('@'); at != std::string::npos) path.replace(at, 1, interface);
  return fmt::format(fmt::runtime(form->command),
                     fmt::arg("interface", name),
                     fmt::arg("rest", shell_word(key.substr(form->key.size()))),
                     fmt::arg("value", shell_word(value)),
                     fmt::arg("first", shell_word(value.substr(0, value.find(' ')))),
                     fmt::arg("last", shell_word(value.substr(value.rfind(' ') + 1))),
                     fmt::arg("path", shell_word(path))) +
         options;
}

}  // namespace manactl::os
