// SPDX-License-Identifier: MIT

#include "host/scrub_files.h"

#include <arpa/inet.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "host/boot_loader.h"
#include "host/initramfs.h"
#include "host/move.h"
#include "host/secure_boot.h"
#include "host/udev_rules.h"
#include "os/modprobe_config.h"

namespace manactl::host {
namespace {

// A number, a list of numbers or an id, as attributes in sysfs have.
std::string number(std::string_view text) {
  constexpr std::string_view kCharacters = "0123456789abcdefABCDEFx{}-,.: \n";
  return text.find_first_not_of(kCharacters) == std::string_view::npos ? std::string(text) : "";
}

// The lines "key=value" or "key: value" with one of these keys.
std::string lines_with(std::string_view text,
                       std::initializer_list<std::string_view> keys,
                       char separator = '=') {
  std::string kept;
  for (const auto line : split(text, '\n')) {
    const auto key = trim(line.substr(0, line.find(separator)));
    if (line.find(separator) == std::string_view::npos) continue;
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) kept += fmt::format("{}\n", line);
  }
  return kept;
}

std::string os_release(std::string_view text) {
  return lines_with(text, {"ID", "VERSION_ID"});
}

std::string meminfo(std::string_view text) {
  return lines_with(text, {"Hugepagesize"}, ':');
}

// The CPUs and the rows that matter for MANA. The other rows name hardware.
std::string interrupts(std::string_view text) {
  std::string kept;
  for (const auto line : split(text, '\n')) {
    const auto row = words(line);
    if (row.empty()) continue;
    const bool is_header = row.front().starts_with("CPU");
    const bool is_row = row.front() == "NET_RX:" || row.back().starts_with("mana_");
    if (is_header || is_row) kept += fmt::format("{}\n", line);
  }
  return kept;
}

std::string cpu_times(std::string_view text) {
  std::string kept;
  for (const auto line : split(text, '\n')) {
    if (line.starts_with("cpu")) kept += fmt::format("{}\n", line);
  }
  return kept;
}

// The version of Debian's package. The rest names people and machines.
std::string kernel_version(std::string_view text) {
  const auto parts = words(text);
  const auto name = std::ranges::find(parts, "Debian");
  if (name == parts.end() || std::next(name) == parts.end()) return {};
  return fmt::format("Debian {}\n", *std::next(name));
}

// Replaces each line by the result of `keep` or, if that is empty, by kept_mentions(). The lines
// keep their numbers, because messages contain them.
template <class KeepLine>
std::string numbered_lines(std::string_view text, KeepLine keep) {
  std::string kept;
  for (const auto line : split(text, '\n')) {
    const std::string own = keep(line);
    kept += own.empty() ? kept_mentions(line) : own;
  }
  kept.erase(kept.find_last_not_of('\n') + 1);
  return kept.empty() ? kept : kept + '\n';
}

// The meaning of a key depends on its section. Only the kind of section is kept, because people
// choose the rest of its name.
std::string network_manager(std::string_view text) {
  return numbered_lines(text, [](std::string_view line) -> std::string {
    if (line.starts_with('[')) return line.starts_with("[device") ? "[device]\n" : "[section]\n";
    return lines_with(line, {"unmanaged-devices", "unmanaged-devices+", "managed", "match-device"});
  });
}

// Of other keys in [Match], it matters that they exist: the file then matches no VF of MANA.
std::string networkd(std::string_view text) {
  bool is_match = false;
  return numbered_lines(text, [&](std::string_view line) -> std::string {
    if (line.starts_with('[')) {
      is_match = line.starts_with("[Match]");
      return is_match ? "[Match]\n" : "[section]\n";
    }
    auto kept = lines_with(line,
                           {"Unmanaged",
                            "Driver",
                            "MACAddress",
                            "PermanentMACAddress",
                            "Name",
                            "Type",
                            "ADMIN_STATE"});
    const bool is_other = is_match && kept.empty() && line.find('=') != std::string_view::npos;
    return is_other && !trim(line).starts_with('#') ? "Other=\n" : kept;
  });
}

// Rules that concern network managers are evaluated.
std::string udev_rules(std::string_view text) {
  const bool is_evaluated = std::ranges::any_of(kUnmanagedProperties, [&](auto property) {
    return text.find(property) != std::string_view::npos;
  });
  return is_evaluated ? reduced_rules(text) : kept_mentions(text);
}

// The present options of Open vSwitch, in the form of the database.
std::string kept_devargs(std::string_view text) {
  std::string kept;
  std::size_t number = 0;
  const auto newest = newest_devargs(text);
  for (const auto line : split(newest, '\n')) {
    ++number;
    kept +=
        line.empty()
            ? "\n"
            : fmt::format("{{\"Interface\": {{\"{}\": {{\"options\": \"{}\"}}}}}}\n", number, line);
  }
  return kept;
}

std::string udev(std::string_view text) {
  return lines_with(text, {"E:NM_UNMANAGED", "E:ID_NET_MANAGED_BY"});
}

std::string package_config(std::string_view text) {
  return lines_with(text, {"Version"}, ':');
}

// dpkg separates packages by empty lines.
std::string dpkg_status(std::string_view text) {
  std::string kept;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = std::min(rest.find("\n\n"), rest.size());
    kept += lines_with(rest.substr(0, end), {"Package", "Status", "Version"}, ':') + "\n";
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return kept;
}

// Types of file systems are names of programs, too: "fuse.alice-fs".
std::string_view mount_type(std::string_view type) {
  static constexpr std::string_view kTypes[] = {
      "nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "afs", "hugetlbfs"};
  const auto* found = std::find(std::begin(kTypes), std::end(kTypes), type);
  return found == std::end(kTypes) ? "remote" : *found;
}

// Mounts of hugepages and mounts that need the network, without their devices.
std::string mounts(std::string_view text, NameReplacer& names) {
  std::string kept;
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);  // device, path, type, options
    if (fields.size() < 4) continue;
    std::vector<std::string> options;
    for (const auto option : split(fields[3], ',')) {
      const bool is_read = option.starts_with(fields[2] == "hugetlbfs" ? "pagesize=" : "addr=");
      if (is_read) options.emplace_back(option);
    }
    if (options.empty() && fields[2] != "hugetlbfs") continue;
    if (options.empty()) options.emplace_back("rw");
    const auto type = mount_type(fields[2]);
    kept +=
        fmt::format("{} {} {} {} 0 0\n", type, names.mount(fields[1]), type, join(options, ","));
  }
  return kept;
}

std::string_view program_of(std::string_view name) {
  if (name.starts_with("sshd")) return "sshd";
  return name.starts_with("dropbear") ? "dropbear" : "program";
}

// proc_pid_stat(5): keeps the process id, whether it is an SSH server, and its parent.
std::string process_stat(std::string_view text) {
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  const auto pid = parse_unsigned(trim(text.substr(0, open)));
  const auto fields = words(text.substr(close + 1));
  if (fields.size() < 2) return {};
  const auto parent = parse_unsigned(fields[1]);
  if (!pid || !parent) return {};
  const auto name = text.substr(open + 1, close - open - 1);
  return fmt::format("{} ({}) S {}\n", *pid, program_of(name), *parent);
}

std::string process_name(std::string_view text) {
  return fmt::format("{}\n", program_of(text));
}

std::string command_line(std::string_view text) {
  std::vector<std::string> kept;
  for (const auto word : words(text)) {
    const auto option = word.substr(0, word.find('='));
    if (option == "modprobe.blacklist" || option == "module_blacklist") kept.emplace_back(word);
    if (const auto network = network_option(word); !network.empty()) kept.emplace_back(network);
  }
  return join(kept, " ") + "\n";
}

// modprobe.d(5): the lines that keep a module from being loaded.
std::string modprobe(std::string_view text) {
  const auto joined = os::joined_lines(text);
  std::string kept;
  for (const auto line : split(joined, '\n')) {
    const auto fields = words(line);
    if (fields.size() >= 2 && fields[0] == "blacklist")
      kept += fmt::format("blacklist {}\n", fields[1]);
    if (fields.size() < 3 || fields[0] != "install") continue;
    const auto program = fields[2].substr(fields[2].rfind('/') + 1);
    if (os::is_refusal_program(program))
      kept += fmt::format("install {} /bin/{}\n", fields[1], program);
  }
  return kept;
}

std::string asset_tag(std::string_view text) {
  constexpr std::string_view kAzure = "7783-7084-3265-9085-8269-3286-77";
  return fmt::format("{}\n", trim(text) == kAzure ? kAzure : "removed");
}

std::string ip_address(std::string_view text) {
  const std::string address(trim(text));
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const bool valid = inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
                     inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
  return valid ? address + "\n" : "";
}

std::string boot_id(std::string_view /*text*/) {
  return "00000000-0000-0000-0000-000000000000\n";
}

using Keep = std::string (*)(std::string_view text);

constexpr Keep kKeepAll = nullptr;

struct Row {
  const char* pattern;  // fnmatch(3), where '*' also matches '/'
  Keep keep;
  Scrub scrub = Scrub::addresses;
};

// The first row that matches counts. kKeepAll is for logs and for files that manactl or the
// kernel's build writes.
constexpr std::array kRows = {
    Row{"manactl/*.log", kKeepAll, Scrub::log},
    Row{"manactl/report.json", kKeepAll, Scrub::report},
    Row{"manactl/*.json", kKeepAll, Scrub::json},
    Row{"logs/*", kKeepAll, Scrub::log},
    Row{"*/os-release", os_release},
    Row{"*modprobe.d/*.conf", modprobe},
    Row{"*NetworkManager/*", network_manager},
    Row{"*systemd/network/*.network", networkd},
    Row{"run/systemd/netif/links/*", networkd},
    Row{"run/udev/data/*", udev},
    Row{"*/pkgconfig/libdpdk.pc", package_config},
    Row{"var/lib/dpkg/status", dpkg_status},
    Row{"*lib/modules/*/modules.builtin", kKeepAll},
    Row{"*lib/modules/*/modules.dep", kKeepAll},
    Row{"proc/meminfo", meminfo},
    Row{"proc/version", kernel_version},
    Row{"proc/interrupts", interrupts},
    Row{"proc/softirqs", interrupts},
    Row{"proc/stat", cpu_times},
    Row{"proc/uptime", number},
    Row{"proc/irq/*", number},
    Row{"proc/cmdline", command_line},
    Row{"proc/[0-9]*/stat", process_stat},
    Row{"proc/[0-9]*/comm", process_name},
    Row{"proc/sys/kernel/random/boot_id", boot_id},
    Row{"sys/kernel/btf/*", kKeepAll, Scrub::nothing},  // keep_enumerator() has reduced it
    Row{"sys/firmware/efi/efivars/SecureBoot-*", kKeepAll, Scrub::nothing},
    Row{"etc/tuned/active_profile", kKeepAll},
    Row{"*/chassis_asset_tag", asset_tag},
    Row{"sys/*iscsi_connection/*address", ip_address},
    Row{"sys/bus/pci/slots/*/address", number},
    Row{"sys/*/class", number},
    Row{"sys/*/class_id", number},
    Row{"sys/*/device_id", number},
    Row{"sys/*/vendor", number},
    Row{"sys/*/device", number},
    Row{"sys/*/numa_node", number},
    Row{"sys/*/dev_port", number},
    Row{"sys/*/driver_override", kKeepAll},
    Row{"sys/*/cpulist", number},
    Row{"sys/*/statistics/*", number},
    Row{"sys/*/queues/*", number},
    Row{"sys/*_hugepages", number},
};

// Files that administrators write. Every bundle contains only what is kept of them, because they
// may contain secrets.
constexpr std::array kConfigRows = {
    Row{"*udev/rules.d/*", udev_rules},
    Row{"etc/netplan/*", kept_mentions},
    Row{"etc/network/interfaces*", kept_mentions},
    Row{"etc/sysconfig/*", kept_mentions},
    Row{"etc/default/irqbalance", kept_mentions},
    Row{"etc/sysctl.*", kept_mentions},
    Row{"etc/systemd/network/*.link", kept_mentions},
    Row{"etc/systemd/system/*.service", kept_mentions},
    Row{"etc/tuned/*/tuned.conf", kept_mentions},
    Row{"etc/spdk/*", kept_mentions},
    Row{"etc/vpp/startup.conf", kept_mentions},
    Row{"etc/suricata/suricata.yaml", kept_mentions},
    Row{"etc/openvswitch/conf.db", kept_devargs},
    Row{"proc/[0-9]*/cmdline", kept_arguments},
    Row{"etc/default/grub*", kept_boot_settings},
    Row{"boot/grub*/grubenv", kept_boot_settings},
    Row{"boot/grub*/grub.cfg", kept_menu},
    Row{"boot/loader/entries/*", kept_boot_settings},
    Row{"boot/init*", reduced_initramfs, Scrub::nothing},
    Row{"*lib/modules/*.ko*", reduced_module, Scrub::nothing},
};

bool matches(const Row& row, const std::string& read_as) {
  return fnmatch(row.pattern, read_as.c_str(), 0) == 0;
}

const Row* row_of(const std::string& read_as) {
  const auto is_match = [&](const Row& row) { return matches(row, read_as); };
  const auto* config = std::ranges::find_if(kConfigRows, is_match);
  if (config != kConfigRows.end()) return config;
  const auto* found = std::ranges::find_if(kRows, is_match);
  return found == kRows.end() ? nullptr : found;
}

}  // namespace

bool is_mounts(std::string_view path) {
  return path.starts_with("proc/") && path.ends_with("/mounts");
}

Scrub scrub_of(const std::string& read_as) {
  const auto* row = row_of(read_as);
  return row == nullptr ? Scrub::addresses : row->scrub;
}

std::string recorded_text(const std::string& read_as, std::string text) {
  const auto* row =
      std::ranges::find_if(kConfigRows, [&](const Row& one) { return matches(one, read_as); });
  return row == kConfigRows.end() ? std::move(text) : row->keep(text);
}

std::string kept_text(const std::string& read_as, std::string text, NameReplacer& names) {
  if (is_mounts(read_as)) return mounts(text, names);
  const auto* row = row_of(read_as);
  if (row == nullptr) return {};
  return row->keep == kKeepAll ? std::move(text) : row->keep(text);
}

std::string kept_target(const std::string& path, const std::string& target) {
  if (fnmatch("proc/[0-9]*/*", path.c_str(), 0) != 0 &&
      fnmatch("proc/self/*", path.c_str(), 0) != 0)
    return target;
  const auto name = std::string_view(target).substr(target.rfind('/') + 1);
  if (path.ends_with("/exe")) return fmt::format("/usr/sbin/{}", program_of(name));
  const bool is_read = target.starts_with("socket:[") || target.starts_with("/dev/infiniband/") ||
                       target.starts_with("/dev/uio");
  return is_read ? target : "removed";
}

}  // namespace manactl::host
