// SPDX-License-Identifier: MIT

#include "setup/settings.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kSettings = "setting";

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

// Not every file can be read: stable_secret, for example, only after it was set.
void read_file(const os::Files& files,
               const std::string& key,
               const std::string& interface,
               Values& target) {
  if (auto text = files.read(path_of(key, interface))) target.emplace(key, trim(*text));
}

// "ifalias 7" becomes {"ifalias", "7"}. No key contains a blank.
std::pair<std::string, std::string> parts_of(const std::string& saved) {
  const auto blank = saved.find(' ');
  if (blank == std::string::npos) return {saved, {}};
  return {saved.substr(0, blank), saved.substr(blank + 1)};
}

class SettingRestorer {
 public:
  SettingRestorer(const StepContext& context, const std::string& interface)
      : context_(context), interface_(interface) {}

  Result<> restore(const std::vector<std::string>& saved) {
    auto now = read_settings(context_.system.files, interface_);
    wait_for_files(saved, now);
    bool has_changed = false;
    for (const auto& text : saved) {
      const auto [key, value] = parts_of(text);
      const auto present = now.find(key);
      if (present == now.end() || present->second == value) continue;
      has_changed = true;
      const auto written = context_.system.files.write(path_of(key, interface_), value + "\n");
      if (!written) refusals_.emplace(key, written.error().message);
    }
    if (has_changed) now = read_settings(context_.system.files, interface_);
    return differences(saved, now);
  }

 private:
  // hv_netvsc adds most queues some time after the interface.
  void wait_for_files(const std::vector<std::string>& saved, Values& now) const {
    constexpr std::chrono::milliseconds kFileTimeout{2000};
    (void)wait_until(context_.clock, kFileTimeout, [&] {
      const bool complete = std::ranges::all_of(
          saved, [&](const std::string& text) { return now.contains(parts_of(text).first); });
      if (!complete) now = read_settings(context_.system.files, interface_);
      return complete;
    });
  }

  Result<> differences(const std::vector<std::string>& saved, const Values& now) const {
    std::size_t count = 0;
    std::string first;
    for (const auto& text : saved) {
      const auto [key, value] = parts_of(text);
      const auto present = now.find(key);
      if (present != now.end() && present->second == value) continue;
      // The number of queues is a setting of ethtool, which is not restored.
      if (present == now.end() && key.starts_with("sys/class/net/@/queues/")) continue;
      if (++count > 1) continue;
      first = fmt::format("/{} was '{}', and ", path_of(key, interface_), printable(value));
      first += present == now.end() ? "does not exist now"
                                    : fmt::format("is '{}' now", printable(present->second));
      const auto refusal = refusals_.find(key);
      if (refusal != refusals_.end()) first += ": " + refusal->second;
    }
    if (count == 0) return {};
    if (count > 1) first += fmt::format("; other settings that differ: {}", count - 1);
    return fail(Errc::io, first);
  }

  const StepContext& context_;
  const std::string& interface_;
  Values refusals_;
};

}  // namespace

Values read_settings(const os::Files& files, const std::string& interface) {
  Values found;
  for (const auto& directory : kSettingDirectories) {
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
      for (const auto& name : names)
        read_file(files, fmt::format("{}/{}", parent, name), interface, found);
    }
  }
  return found;
}

void save_settings(const os::Files& files, const std::string& interface, Values& target) {
  std::size_t count = 0;
  for (const auto& [key, value] : read_settings(files, interface)) {
    target.emplace(list_key(kSettings, count++), fmt::format("{} {}", key, value));
  }
}

Result<> restore_settings(const StepContext& context,
                          const std::string& interface,
                          const Values& saved) {
  return SettingRestorer(context, interface).restore(list_of(saved, kSettings));
}

}  // namespace manactl::setup
