// SPDX-License-Identifier: MIT

#include "setup/settings.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/text.h"
#include "os/setting_commands.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kSettings = "setting";
constexpr std::string_view kIpv6MtuFile = "proc/sys/net/ipv6/conf/@/mtu";

struct SettingDirectory {
  std::string_view path;    // "@" is the name of the interface
  std::string_view files;   // separated by blanks; empty: all files
  bool has_queues = false;  // the files are in a directory for each queue
};

constexpr SettingDirectory kSettingDirectories[] = {
    {"proc/sys/net/ipv4/conf/@", ""},
    {"proc/sys/net/ipv4/neigh/@", ""},
    {"proc/sys/net/ipv6/conf/@", ""},
    {"proc/sys/net/ipv6/neigh/@", ""},
    {"proc/sys/net/mpls/conf/@", ""},
    {"sys/class/net/@",
     "gro_flush_timeout ifalias napi_defer_hard_irqs netdev_group threaded tx_queue_len"},
    {"sys/class/net/@/queues",
     "rps_cpus rps_flow_cnt tx_maxrate xps_cpus xps_rxqs byte_queue_limits/limit_max "
     "byte_queue_limits/limit_min",
     true},
};

std::string path_of(std::string_view key, const std::string& interface) {
  const auto at = key.find('@');
  return std::string(key.substr(0, at)) + interface + std::string(key.substr(at + 1));
}

std::vector<std::string> names_in(const os::Files& files,
                                  const std::string& key,
                                  const std::string& interface) {
  return files.list(path_of(key, interface)).value_or(std::vector<std::string>{});
}

// Not every file can be read: stable_secret, for example, only after it was set. Others show only a
// state: mc_forwarding, for example, whether a multicast router runs.
void read_file(const os::Files& files,
               const std::string& key,
               const std::string& interface,
               os::InterfaceSettings& target) {
  const auto path = path_of(key, interface);
  constexpr unsigned kOwnerMayWrite = 0200;
  const auto node = files.node(path);
  if (!node || (node->mode & kOwnerMayWrite) == 0) return;
  if (auto text = files.read(path)) target.emplace_back(key, trim(*text));
}

// "ifalias 7" becomes {"ifalias", "7"}. No key contains a blank.
std::pair<std::string, std::string> parts_of(const std::string& saved) {
  const auto blank = saved.find(' ');
  if (blank == std::string::npos) return {saved, {}};
  return {saved.substr(0, blank), saved.substr(blank + 1)};
}

bool is_ethtool(const std::string& key) {
  return key.starts_with(os::kEthtoolSettings);
}

// The kernel removes them even if the interface is only set down (neigh_ifdown).
bool is_neighbor(const std::string& key) {
  return key.starts_with("link/neighbor/") || key.starts_with("link/proxy/");
}

bool is_file(const std::string& key) {
  return key.starts_with("proc/") || key.starts_with("sys/");
}

class SettingRestorer {
 public:
  SettingRestorer(const StepContext& context, os::Link link, ManagedSettings& managed)
      : context_(context), link_(std::move(link)), managed_(managed) {}

  Result<> restore(const Values& saved, Lost lost) {
    for (const auto& text : list_of(saved, kSettings)) saved_.push_back(parts_of(text));
    if (lost == Lost::neighbors) {
      std::erase_if(saved_, [](const auto& setting) { return !is_neighbor(setting.first); });
    }
    if (managed_.keys.contains(std::string(kMtuFile))) {
      std::erase(saved_, std::pair(std::string(kIpv6MtuFile), value_at(saved, "mtu")));
    }
    if (saved_.empty()) return {};
    auto read = read_now();
    if (!read) return read;
    keep_managed();
    if (lost == Lost::nothing) return differences();
    read = write_if(is_ethtool);
    // The number of channels decides which queues have files. hv_netvsc adds most queues some time
    // after the interface.
    constexpr std::chrono::milliseconds kFileTimeout{2000};
    (void)wait_until(context_.clock, kFileTimeout, [&] {
      if (!read || has_all_files()) return true;
      read = read_now();
      return false;
    });
    // Some settings change others: gso-max-size, for example, also that of IPv4. A write fails if
    // the interface is renamed at this moment.
    constexpr int kMaxPasses = 3;
    for (int pass = 0; read && pass < kMaxPasses && has_differences(); ++pass) {
      read = write_if([](const std::string&) { return true; });
    }
    return read ? differences() : read;
  }

 private:
  Result<> read_now() {
    auto settings = read_settings(context_.system, link_);
    if (!settings) return tl::unexpected<Error>(settings.error());
    now_.clear();
    for (auto& [key, value] : *settings) now_.emplace(std::move(key), std::move(value));
    return {};
  }

  // Only files: the kernel itself changes other settings when the VF joins, and the MTU of IPv6
  // with that of the interface.
  void keep_managed() {
    std::erase_if(saved_, [&](const auto& setting) {
      const auto& [key, value] = setting;
      if (managed_.keys.contains(key)) return true;
      const auto present = now_.find(key);
      return present != now_.end() && key != kIpv6MtuFile &&
             managed_.keep_if_changed(key, link_.name, value, present->second);
    });
  }

  bool has_all_files() const {
    return std::ranges::all_of(saved_, [&](const auto& setting) {
      return !is_file(setting.first) || now_.contains(setting.first);
    });
  }

  bool differs(const std::string& key, const std::string& value) const {
    const auto present = now_.find(key);
    return present == now_.end() || present->second != value;
  }

  bool has_differences() const {
    return std::ranges::any_of(saved_,
                               [&](const auto& it) { return differs(it.first, it.second); });
  }

  Result<> write_if(bool (*is_selected)(const std::string& key)) {
    bool has_changed = false;
    for (const auto& [key, value] : saved_) {
      if (!is_selected(key) || !differs(key, value)) continue;
      if (!now_.contains(key) && !key.starts_with(os::kLinkSettings)) continue;
      has_changed = true;
      const auto written = write(key, value);
      if (!written) refusals_[key] = written.error().message;
    }
    return has_changed ? read_now() : Result<>();
  }

  Result<> write(const std::string& key, const std::string& value) const {
    if (!is_file(key)) return context_.system.links.set(link_.index, key, value);
    return context_.system.files.write(path_of(key, link_.name), value + "\n");
  }

  Result<> differences() const {
    constexpr std::size_t kMostShown = 100;
    std::size_t count = 0;
    std::vector<std::string> shown;
    for (const auto& [key, value] : saved_) {
      if (!differs(key, value) || ++count > kMostShown) continue;
      shown.push_back(difference(key, value));
    }
    if (count == 0) return {};
    if (count > kMostShown) {
      shown.push_back(fmt::format("other settings that differ: {}", count - kMostShown));
    }
    return fail(Errc::io, join(shown, "; "));
  }

  std::string difference(const std::string& key, const std::string& value) const {
    auto text = is_file(key) ? "/" + path_of(key, link_.name) : "the setting " + key;
    const auto present = now_.find(key);
    const bool is_gone = present == now_.end();
    text += fmt::format(" was '{}', and ", printable(value));
    text += is_gone ? "does not exist now" : fmt::format("is '{}' now", printable(present->second));
    const auto refusal = refusals_.find(key);
    if (refusal != refusals_.end()) text += ": " + refusal->second;
    // A file that does not exist cannot be written; an object of rtnetlink can be added.
    if (is_gone && !key.starts_with(os::kLinkSettings)) return text;
    const auto command =
        os::setting_command(key, value, is_gone ? "" : present->second, link_.name);
    return command.empty() ? text : text + fmt::format(" (set it with {})", command);
  }

  const StepContext& context_;
  os::Link link_;
  ManagedSettings& managed_;
  os::InterfaceSettings saved_;
  Values now_, refusals_;
};

void read_directory(const os::Files& files,
                    const SettingDirectory& directory,
                    const std::string& interface,
                    os::InterfaceSettings& target) {
  const std::string path(directory.path);
  std::vector<std::string> parents = {path};
  if (directory.has_queues) {
    parents = names_in(files, path, interface);
    for (auto& parent : parents) parent.insert(0, path + "/");
  }
  for (const auto& parent : parents) {
    auto names = names_in(files, parent, interface);
    if (!directory.files.empty()) {
      names.clear();
      for (const auto name : words(directory.files)) names.emplace_back(name);
    }
    for (const auto& name : names) {
      read_file(files, fmt::format("{}/{}", parent, name), interface, target);
    }
  }
}

// Reads the settings by the name that `link` has.
Result<os::InterfaceSettings> settings_under(const os::System& system, const os::Link& link) {
  auto settings = system.links.settings(link.index);
  if (!settings) return settings;
  // Some settings of rtnetlink need sysctls, so they come last: a token needs accept_ra.
  const auto of_link =
      std::stable_partition(settings->begin(), settings->end(), [](const auto& setting) {
        return is_ethtool(setting.first);
      });
  os::InterfaceSettings link_settings(of_link, settings->end());
  settings->erase(of_link, settings->end());
  for (const auto& directory : kSettingDirectories) {
    read_directory(system.files, directory, link.name, *settings);
  }
  std::ranges::move(link_settings, std::back_inserter(*settings));
  return settings;
}

// The interface as it is now, perhaps under another name.
Result<os::Link> present_link(const os::System& system, const os::Link& link) {
  const auto links = system.links.links();
  if (!links) return tl::unexpected<Error>(links.error());
  const auto found = std::ranges::find(*links, link.index, &os::Link::index);
  if (found != links->end()) return *found;
  return fail_errno(ENODEV, fmt::format("'{}' has vanished", printable(link.name)));
}

}  // namespace

Result<os::InterfaceSettings> read_settings(const os::System& system, os::Link& link) {
  // Files and the requests of ethtool have the name of the interface, which udev may change between
  // two of them.
  constexpr int kMaxTries = 10;
  for (int i = 0; i < kMaxTries; ++i) {
    auto settings = settings_under(system, link);
    const auto now = present_link(system, link);
    if (!now) return tl::unexpected<Error>(now.error());
    if (now->name == link.name) return settings;
    link = *now;
  }
  return fail(Errc::io,
              fmt::format("cannot read the settings of '{}': it was renamed during each attempt",
                          printable(link.name)));
}

Result<> save_settings(const os::System& system, os::Link link, Values& target) {
  const auto settings = read_settings(system, link);
  if (!settings) return tl::unexpected<Error>(settings.error());
  std::size_t count = 0;
  for (const auto& [key, value] : *settings) {
    if (printable(key + value, SIZE_MAX) != key + value) {
      return fail(Errc::unsupported,
                  fmt::format("the journal cannot store the setting {} '{}' of {}: change it, for "
                              "example with ip-link(8)",
                              printable(key),
                              printable(value),
                              printable(link.name)));
    }
    target.emplace(list_key(kSettings, count++), fmt::format("{} {}", key, value));
  }
  return {};
}

Values file_settings(const os::System& system, const os::Link& link) {
  os::InterfaceSettings settings;
  for (const auto& directory : kSettingDirectories) {
    read_directory(system.files, directory, link.name, settings);
  }
  settings.emplace_back(kMtuFile, std::to_string(link.mtu));
  return {settings.begin(), settings.end()};
}

bool ManagedSettings::keep_if_changed(const std::string& key,
                                      const std::string& interface,
                                      const std::string& saved,
                                      const std::string& now) {
  const auto first = at_return.find(key);
  if (first == at_return.end() || first->second == now || now == saved) return false;
  keys.insert(key);
  kept.push_back(
      fmt::format("/{} was '{}', but something set it to '{}' when the interface returned",
                  path_of(key, interface),
                  printable(saved),
                  printable(now)));
  return true;
}

bool has_settings(const Values& saved) {
  return saved.contains(list_key(kSettings, 0));
}

Result<> restore_settings(const StepContext& context,
                          const os::Link& link,
                          const Values& saved,
                          Lost lost,
                          ManagedSettings& managed) {
  return SettingRestorer(context, link, managed).restore(saved, lost);
}

}  // namespace manactl::setup
