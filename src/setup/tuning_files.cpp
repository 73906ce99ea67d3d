// SPDX-License-Identifier: MIT

#include "setup/tuning_files.h"

#include <algorithm>
#include <map>

#include "base/quotes.h"
#include "base/text.h"
#include "os/setting_commands.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

using host::Tunable;

// The values by their rows, in the order of the table.
using TunedValues = std::map<const Tunable*, std::string>;

// The value that users write for the word of the kernel.
std::string user_value(const Tunable& tunable, const std::string& word) {
  if (tunable.form != host::ValueForm::flag) return word;
  return word == "0" ? "off" : "on";
}

void add_step(const StepRecord& step, TunedValues& values) {
  const bool is_vf = step.channel().empty();
  if (step.kind == StepKind::set_mtu && !is_vf) {
    values[host::find_tunable("mtu")] = value_at(step.parameters, "mtu");
  }
  const auto change = setting_change_of(step);
  if (!change || !step.begun) return;
  const auto parts = words(change->value);
  for (const auto& tunable : host::tunables()) {
    const bool is_same = tunable.key == change->key && tunable.is_of_vf() == is_vf;
    if (!is_same || tunable.word >= parts.size() || parts[tunable.word] == "*") continue;
    values[&tunable] = user_value(tunable, std::string(parts[tunable.word]));
  }
}

TunedValues merged_values(const host::Nic& nic,
                          const std::vector<TunedSetting>& settings,
                          const std::vector<Entry>& entries) {
  std::vector<const Entry*> own;
  for (const auto& entry : entries) {
    if (entry.is_tuning() && entry.belongs_to(nic)) own.push_back(&entry);
  }
  std::ranges::sort(own, {}, [](const Entry* entry) { return entry->tune_number(); });
  TunedValues values;
  for (const auto* entry : own) {
    for (const auto& step : entry->steps) add_step(step, values);
  }
  for (const auto& setting : settings) {
    if (setting.state == SettingState::change) values[setting.tunable] = setting.wanted;
    // Switches that hold are probably defaults; somebody may have set a number.
    const bool is_repeated =
        setting.is_requested || setting.tunable->form == host::ValueForm::number;
    if (setting.state == SettingState::holds && is_repeated) values[setting.tunable] = setting.now;
  }
  return values;
}

// The version of systemd from the name of its library: "libsystemd-shared-252.so". 0 if unknown.
unsigned systemd_version(const os::Files& files) {
  constexpr std::string_view kLibrary = "libsystemd-shared-";
  for (const auto* directory : {"usr/lib/systemd",
                                "lib/systemd",
                                "usr/lib64/systemd",
                                "usr/lib/x86_64-linux-gnu/systemd",
                                "usr/lib/aarch64-linux-gnu/systemd"}) {
    for (const auto& name : files.list(directory).value_or(std::vector<std::string>{})) {
      if (!name.starts_with(kLibrary)) continue;
      const auto rest = std::string_view(name).substr(kLibrary.size());
      const auto version = parse_unsigned(rest.substr(0, rest.find_first_not_of("0123456789")));
      if (version) return static_cast<unsigned>(*version);
    }
  }
  return 0;
}

// Whether an administrator or a program such as netplan has a .link file, which ours could replace.
bool has_other_link_file(const os::Files& files) {
  for (const auto* directory :
       {"etc/systemd/network", "run/systemd/network", "usr/local/lib/systemd/network"}) {
    for (const auto& name : files.list(directory).value_or(std::vector<std::string>{})) {
      if (name.ends_with(".link") && name.find("manactl-") == std::string::npos) return true;
    }
  }
  return false;
}

// The lines of 99-default.link that decide about names and addresses. Empty without this file.
std::string default_policies(const os::Files& files) {
  for (const auto* directory : {"usr/lib/systemd/network", "lib/systemd/network"}) {
    const auto text = files.read(fmt::format("{}/99-default.link", directory));
    if (!text) continue;
    std::string policies;
    for (const auto line : split(*text, '\n')) {
      const auto key = line.substr(0, line.find('='));
      if (key.ends_with("Policy")) policies += fmt::format("{}\n", printable(line));
    }
    return policies;
  }
  return {};
}

// Empty if .link files cannot have all of these settings on this machine.
std::string link_file(std::string_view driver,
                      const MacAddress& mac,
                      const TunedValues& values,
                      const os::Files& files) {
  const auto version = systemd_version(files);
  const auto policies = default_policies(files);
  if (policies.empty() || has_other_link_file(files)) return {};
  std::string text = fmt::format(
      "[Match]\nMACAddress={}\nDriver={}\n\n[Link]\n"
      "# Only the first .link file applies: these are the policies of 99-default.link.\n{}",
      mac.str(),
      driver,
      policies);
  for (const auto& [tunable, value] : values) {
    if (tunable->link_option.empty() || version < tunable->link_since) return {};
    text += fmt::format("{}={}\n", tunable->link_option, value);
  }
  return text;
}

// The path of a program that the rule runs. udev does not search PATH.
Result<std::string> find_tool(const std::string& name, const os::Files& files) {
  for (const auto* directory : {"usr/sbin", "usr/bin", "sbin"}) {
    const auto path = fmt::format("{}/{}", directory, name);
    if (exists(files, path)) return "/" + path;
  }
  return fail(Errc::unsupported,
              fmt::format("--persist needs {}, which is not installed, for a rule of udev", name));
}

// initscripts-rename-device keeps RUN+= from running in RHEL 9 before 9.8, and in its rebuilds.
Result<> refuse_broken_rules(const host::Facts& facts, const os::Files& files) {
  if (!facts.kernel || !exists(files, "usr/lib/udev/rename_device")) return {};
  constexpr unsigned kMajor = 9, kFixed = 8;
  const auto release = Release::parse(facts.kernel->distribution_release);
  if (!release || release->major != kMajor || release->minor >= kFixed) return {};
  return fail(Errc::unsupported,
              "--persist cannot be used: initscripts-rename-device keeps rules of udev from "
              "running in RHEL 9 before 9.8, and a .link file cannot have these settings here");
}

// The command of one value of the kernel, with all settings that are words of it.
std::string rule_command(const Tunable& tunable, const TunedValues& values) {
  const bool is_kind = tunable.form == host::ValueForm::kind;
  constexpr std::size_t kMostWords = 22;  // of coalescing
  const bool is_feature = tunable.form == host::ValueForm::feature;
  std::vector<std::string> wanted(is_kind || is_feature ? 1 : kMostWords, "0");
  auto former = wanted;
  for (const auto& [other, value] : values) {
    if (other->key != tunable.key) continue;
    const bool is_flag = other->form == host::ValueForm::flag;
    wanted.at(other->word) = is_flag ? (value == "on" ? "1" : "0") : value;
    former.at(other->word) = "-";  // each word that differs becomes an option
  }
  return os::setting_command(
      std::string(tunable.key), join(wanted, " "), join(former, " "), "NAME");
}

Result<std::string> rule_of(std::string_view driver,
                            const MacAddress& mac,
                            const TunedValues& values,
                            const host::Facts& facts,
                            const os::Files& files) {
  const auto works = refuse_broken_rules(facts, files);
  if (!works) return tl::unexpected<Error>(works.error());
  const auto match =
      fmt::format("ACTION==\"add\", SUBSYSTEM==\"net\", DRIVERS==\"{}\", ATTR{{address}}==\"{}\", ",
                  driver,
                  mac.str());
  std::string text;
  std::vector<std::string_view> keys;
  for (const auto& [tunable, value] : values) {
    if (tunable->key == host::kMtuKey) {
      text += fmt::format("{}ATTR{{mtu}}=\"{}\"\n", match, value);
      continue;
    }
    if (std::ranges::find(keys, tunable->key) != keys.end()) continue;
    keys.push_back(tunable->key);
    auto command = rule_command(*tunable, values);
    const auto blank = command.find(' ');
    const auto tool = find_tool(command.substr(0, blank), files);
    if (!tool) return tl::unexpected<Error>(tool.error());
    command = *tool + command.substr(blank);
    command.replace(command.find("NAME"), 4, "$name");
    text += fmt::format("{}RUN+=\"{}\"\n", match, command);
  }
  return text;
}

}  // namespace

Result<std::vector<PersistentFile>> tuning_files(const host::Nic& nic,
                                                 const std::vector<TunedSetting>& settings,
                                                 const std::vector<Entry>& entries,
                                                 const host::Facts& facts,
                                                 const os::Files& files) {
  const auto values = merged_values(nic, settings, entries);
  const auto header = header_of(tuning_name(nic.name()));
  std::vector<PersistentFile> found;
  std::string rules;
  for (const auto driver : {host::kSyntheticDriver, host::kManaDriver}) {
    TunedValues own;
    for (const auto& [tunable, value] : values) {
      const auto* netdev = host::interface_for(*tunable, nic);
      if (netdev != nullptr && netdev->driver == driver) own.emplace(tunable, value);
    }
    if (own.empty()) continue;
    const auto& mac = nic.vf->mac;
    auto link = link_file(driver, mac, own, files);
    if (!link.empty()) {
      found.push_back({kNetworkdFiles,
                       fmt::format("70-manactl-tune-{}-{}.link", nic.name(), driver),
                       header + link});
      continue;
    }
    const auto rule = rule_of(driver, mac, own, facts, files);
    if (!rule) return tl::unexpected<Error>(rule.error());
    rules += *rule;
  }
  if (!rules.empty()) {
    found.push_back(
        {kUdevRules, fmt::format("99-manactl-tune-{}.rules", nic.name()), header + rules});
  }
  return found;
}

}  // namespace manactl::setup
