// SPDX-License-Identifier: MIT
//
// The outputs about RDMA devices (rdma of iproute2, ibv_devices and ibv_devinfo of rdma-core),
// hugepages, and installed packages.

#include <algorithm>
#include <array>

#include "base/characters.h"
#include "base/text.h"
#include "host/gather.h"
#include "host/ticket/formats.h"

namespace manactl::host {
namespace {

bool is_rdma_name(std::string_view name) {
  return !name.empty() && InterfaceName::parse(name).has_value() && !is_all_digits(name);
}

// ---- rdma ---------------------------------------------------------------------------------------

bool is_rdma(const TicketWords& words) {
  const bool is_list = words.size() > 1 && words[0] == "rdma" &&
                       (words[1].starts_with("link") || words[1].starts_with("dev"));
  return is_list && (words.size() == 2 || words[2] == "show" || words[2] == "list");
}

// "link mana_0/1 state ACTIVE physical_state LINK_UP netdev enP30832s1"; before iproute2 5.0,
// "1/1: mana_0/1: state ..."; `rdma dev` prints "0: mana_0: node_type ca ...".
std::string_view rdma_device_in(std::string_view line) {
  const auto all = words(line);
  if (all.size() < 4) return {};
  if (all[0] == "link" && all[2] == "state") return all[1].substr(0, all[1].find('/'));
  const bool is_numbered =
      all[0].back() == ':' && all[1].back() == ':' &&
      (all[2] == "node_type" || all[2] == "state" || all[2] == "subnet_prefix");
  return is_numbered ? all[1].substr(0, all[1].find_first_of("/:")) : std::string_view();
}

bool is_rdma_line(std::string_view line) {
  return rdma_device_in(line).starts_with("mana");
}

// The kernel has the device, or libibverbs has a provider for it. `kind` is "rdma" or "ibv".
void add_rdma_device(std::string_view kind,
                     std::string_view name,
                     TicketOutput& output,
                     TicketStatements& statements) {
  output.seen.emplace(name);
  statements.renew(fmt::format("{} {} present", kind, name), "yes");
  if (is_mana_rdma_name(name)) statements.add("mana", "yes");
}

bool parse_rdma(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  const auto name = rdma_device_in(line);
  if (!is_rdma_name(name)) {
    output.note = "other";  // an error, or a detail of -d
    return false;
  }
  add_rdma_device("rdma", name, output, statements);
  return true;
}

bool is_rdma_directory(const TicketWords& words) {
  return words.size() == 2 && words[0] == "ls" &&
         (words[1] == "/sys/class/infiniband" || words[1] == "/sys/class/infiniband/");
}

// The names of the devices, which are in one line on a terminal.
bool parse_rdma_directory(std::string_view line,
                          TicketOutput& output,
                          TicketStatements& statements) {
  const auto all = words(line);
  // Without an RDMA device, the directory may not exist.
  if (output.lines == 0 && line.starts_with("ls: cannot access ") &&
      line.find("/sys/class/infiniband") != line.npos &&
      line.ends_with("No such file or directory")) {
    return true;
  }
  const auto is_device = [](std::string_view name) {
    return is_digit(name.back()) &&
           std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '_'; });
  };
  if (!std::ranges::all_of(all, is_device)) {
    output.note = "other";
    return false;
  }
  for (const auto name : all) add_rdma_device("rdma", name, output, statements);
  return true;
}

// A device that does not exist has no provider either.
void finish_rdma(const TicketOutput& output, TicketStatements& statements) {
  const auto filter = filter_of_pipe(output.command);
  const auto all = words(std::string_view(output.command).substr(0, output.command.find('|')));
  const bool lists_all = (is_rdma(all) && all.size() <= 3) || is_rdma_directory(all);
  if (!output.is_complete || !output.note.empty() || !lists_all || !filter.keeps("mana_")) return;
  for (const char* const kind : {"rdma", "ibv"}) add_absent(kind, filter, output, statements);
  statements.renew("rdma-devices", "all");
}

// ---- ibv_devices and ibv_devinfo ----------------------------------------------------------------

bool is_ibv(const TicketWords& words) {
  return !words.empty() && (words[0] == "ibv_devices" || words[0] == "ibv_devinfo");
}

bool is_ibv_line(std::string_view line) {
  return line.starts_with("hca_id:") || (line.starts_with("device") && line.ends_with("node GUID"));
}

bool parse_ibv(std::string_view line, TicketOutput& output, TicketStatements& statements) {
  constexpr std::size_t kGuidDigits = 16;
  const auto all = words(line);
  if (line.ends_with("node GUID")) {
    output.note = "header";
    return output.lines == 0;
  }
  const bool is_row = output.note == "header" && all.size() == 2 && all[1].size() == kGuidDigits &&
                      parse_hex(all[1]).has_value();
  const bool is_device = all.size() == 2 && all[0] == "hca_id:";
  if (is_row || is_device) {
    const auto name = is_row ? all[0] : all[1];
    if (is_rdma_name(name)) add_rdma_device("ibv", name, output, statements);
    return true;
  }
  return line.starts_with("------") || (output.note != "header" && line.find(':') != line.npos);
}

// ibv_devices lists only devices for which libibverbs has a provider.
void finish_ibv(const TicketOutput& output, TicketStatements& statements) {
  const bool is_whole =
      output.is_complete && output.note == "header" && words(output.command).size() == 1;
  if (!is_whole) return;
  add_absent("ibv", {}, output, statements);
  statements.renew("ibv-devices", "all");
}

// ---- hugepages ----------------------------------------------------------------------------------

bool is_meminfo(const TicketWords& words) {
  return words.size() > 1 && words.back().ends_with("/proc/meminfo") &&
         (words[0] == "grep" || words[0] == "cat" || words[0] == "egrep");
}

bool is_hugepages_line(std::string_view line) {
  return line.starts_with("HugePages_");
}

bool parse_meminfo(std::string_view line, TicketOutput& /*output*/, TicketStatements& statements) {
  constexpr std::array<std::string_view, 4> kFields = {
      "HugePages_Total", "HugePages_Free", "Hugepagesize", "Hugetlb"};
  const auto all = words(line);
  const bool is_line = all.size() >= 2 && all.size() <= 3 && all[0].back() == ':' &&
                       is_all_digits(all[1]) && (all.size() == 2 || all[2] == "kB");
  if (!is_line) return false;
  const auto name = all[0].substr(0, all[0].size() - 1);
  if (std::ranges::find(kFields, name) == kFields.end()) return true;
  statements.add(fmt::format("meminfo {}", name), std::string(all[1]));
  return true;
}

constexpr std::string_view kNodes = "/sys/devices/system/node/node";
constexpr std::string_view kPools = "/sys/kernel/mm/";

// "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages" becomes "hugepages 0
// 2048 nr_hugepages"; empty for other paths.
std::string hugepages_key(std::string_view path) {
  // The sums of all nodes.
  if (path.starts_with(kPools)) {
    const auto key = hugepages_key(fmt::format("{}0/{}", kNodes, path.substr(kPools.size())));
    constexpr std::string_view kFirst = "hugepages 0 ";
    return key.empty() ? key : "hugepages all " + key.substr(kFirst.size());
  }
  if (!path.starts_with(kNodes)) return {};
  const auto parts = split(path.substr(kNodes.size()), '/');
  constexpr std::string_view kPrefix = "hugepages-";
  const bool is_pool = parts.size() == 4 && is_all_digits(parts[0]) && parts[1] == "hugepages" &&
                       parts[2].starts_with(kPrefix) && parts[2].ends_with("kB") &&
                       (parts[3] == "nr_hugepages" || parts[3] == "free_hugepages");
  if (!is_pool) return {};
  const auto size = parts[2].substr(kPrefix.size(), parts[2].size() - kPrefix.size() - 2);
  if (!is_all_digits(size)) return {};
  return fmt::format("hugepages {} {} {}", parts[0], size, parts[3]);
}

bool is_hugepages_file(const TicketWords& words) {
  const bool is_program = words.size() > 1 && (words[0] == "cat" || words[0] == "grep");
  return is_program && words.back().ends_with("_hugepages") &&
         (words.back().starts_with(kNodes) || words.back().starts_with(kPools));
}

bool is_hugepages_file_line(std::string_view line) {
  const auto colon = line.rfind(':');
  return colon != line.npos && !hugepages_key(line.substr(0, colon)).empty() &&
         is_all_digits(line.substr(colon + 1));
}

bool parse_hugepages_file(std::string_view line,
                          TicketOutput& output,
                          TicketStatements& statements) {
  if (is_hugepages_file_line(line)) {
    const auto colon = line.rfind(':');
    statements.add(hugepages_key(line.substr(0, colon)), std::string(line.substr(colon + 1)));
    return true;
  }
  const auto all = words(output.command);
  const bool is_number = is_all_digits(line) && output.lines == 0 && all.size() == 2;
  const auto key = is_number ? hugepages_key(all[1]) : std::string();
  if (!key.empty()) statements.add(key, std::string(line));
  return !key.empty();
}

// ---- mounts of hugetlbfs ------------------------------------------------------------------------

bool is_mount(const TicketWords& words) {
  const bool is_list = !words.empty() && words[0] == "mount";
  return is_list &&
         (words.size() == 1 || (words.size() == 3 && words[1] == "-t" && words[2] == "hugetlbfs"));
}

// "hugetlbfs on /dev/hugepages type hugetlbfs (rw,relatime,pagesize=2M)"
bool is_mount_row(std::string_view line) {
  const auto all = words(line);
  return all.size() == 6 && all[1] == "on" && all[3] == "type" && all[4] == "hugetlbfs" &&
         all[5].front() == '(' && all[5].back() == ')';
}

// In KiB; "0" for the default size of the kernel. Empty if the size is not understood.
std::string page_size_in(std::string_view options) {
  constexpr std::string_view kOption = "pagesize=";
  const auto at = options.find(kOption);
  if (at == options.npos) return "0";
  const auto rest = options.substr(at + kOption.size());
  const auto size = rest.substr(0, rest.find_first_of(",)"));
  if (size.size() < 2) return {};
  const auto number = parse_unsigned(size.substr(0, size.size() - 1), UINT16_MAX);
  const auto shift = std::string_view("KMG").find(size.back());
  if (!number || shift == std::string_view::npos) return {};
  return std::to_string(*number << (10 * shift));
}

bool parse_mount(std::string_view line, TicketOutput& /*output*/, TicketStatements& statements) {
  const auto all = words(line);
  if (all.size() < 5 || all[1] != "on" || all[3] != "type") return false;
  if (!is_mount_row(line)) return true;
  statements.add(fmt::format("hugetlbfs {} pagesize", all[2]), page_size_in(all[5]));
  return true;
}

void finish_mount(const TicketOutput& output, TicketStatements& statements) {
  if (!output.is_complete || !filter_of_pipe(output.command).keeps("hugetlbfs")) return;
  statements.renew("hugetlbfs-mounts", "all");
}

// ---- packages -----------------------------------------------------------------------------------

bool is_relevant_package(std::string_view name) {
  return name == "libibverbs1" || name == "libibverbs" || name == "dpdk" ||
         name.starts_with("librte-eal") || name.starts_with("librte-net-mana") ||
         name.starts_with("librte-net-netvsc");
}

bool is_dpkg(const TicketWords& words) {
  return words.size() > 1 && words[0] == "dpkg" && (words[1] == "-l" || words[1] == "--list");
}

// "ii  libibverbs1:amd64  50.0-2ubuntu0.2  amd64  Library for direct userspace use of RDMA"
bool is_dpkg_row(std::string_view line) {
  const auto all = words(line);
  return line.starts_with("ii ") && all.size() > 3 &&
         is_relevant_package(all[1].substr(0, all[1].find(':')));
}

bool parse_dpkg(std::string_view line, TicketOutput& /*output*/, TicketStatements& statements) {
  constexpr std::array<std::string_view, 5> kHeads = {
      "Desired=", "| Status=", "|/ Err", "||/ Name", "+++-"};
  if (is_dpkg_row(line)) {
    const auto all = words(line);
    statements.add(fmt::format("package {} version", all[1].substr(0, all[1].find(':'))),
                   std::string(all[2]));
    return true;
  }
  constexpr std::string_view kStates = "uirphn";
  const auto state = line.substr(0, line.find(' '));
  const bool is_row = state.size() >= 2 && state.size() <= 3 && words(line).size() > 3 &&
                      kStates.find(state[0]) != kStates.npos;
  return is_row || std::ranges::any_of(kHeads, [line](auto h) { return line.starts_with(h); });
}

bool is_rpm(const TicketWords& words) {
  return words.size() > 1 && words[0] == "rpm" && words[1].starts_with("-q");
}

// "libibverbs-48.0-1.el9.x86_64": name, version, release and architecture.
bool parse_rpm(std::string_view line, TicketOutput& /*output*/, TicketStatements& statements) {
  if (words(line).size() != 1) {
    // On distributions with this package, it has mana_ib.
    if (line == "package kernel-modules-extra is not installed") {
      statements.add("package kernel-modules-extra missing", "yes");
    }
    return line.find("is not installed") != line.npos;
  }
  const auto release = line.rfind('-');
  const auto version = release == line.npos ? line.npos : line.rfind('-', release - 1);
  if (version == line.npos || version == 0) return false;
  const auto name = line.substr(0, version);
  if (!is_relevant_package(name)) return true;
  statements.add(fmt::format("package {} version", name),
                 std::string(line.substr(version + 1, release - version - 1)));
  return true;
}

// ---- the drivers of DPDK ------------------------------------------------------------------------

// "ls /usr/lib64/dpdk-pmds/", "ls -1 /usr/lib/x86_64-linux-gnu/dpdk/pmds-24.0"
bool is_driver_directory(const TicketWords& words) {
  const bool is_list = words.size() == 2 || (words.size() == 3 && words[1] == "-1");
  return is_list && words[0] == "ls" && words.back().front() == '/' &&
         words.back().find('*') == std::string_view::npos &&
         (words.back().find("/dpdk-pmds") != std::string_view::npos ||
          words.back().find("/dpdk/pmds-") != std::string_view::npos);
}

constexpr std::string_view kDriverPrefix = "librte_";

bool parse_driver_directory(std::string_view line,
                            TicketOutput& output,
                            TicketStatements& /*statements*/) {
  const auto all = words(line);
  const bool lists = std::ranges::all_of(
      all, [](std::string_view name) { return name.starts_with(kDriverPrefix); });
  if (!lists) return false;
  for (const auto name : all) output.seen.emplace(name.substr(0, name.find(".so")));
  return true;
}

void finish_driver_directory(const TicketOutput& output, TicketStatements& statements) {
  const auto filter = filter_of_pipe(output.command);
  const auto all = words(std::string_view(output.command).substr(0, output.command.find('|')));
  for (const std::string driver : {"net_mana", "net_netvsc"}) {
    const auto file = std::string(kDriverPrefix) + driver;
    if (!output.is_complete || !filter.keeps(file + ".so")) return;
    statements.add("pmds " + driver, output.seen.contains(file) ? "yes" : "no");
  }
  statements.add("pmds directory", std::string(all.back().substr(1)));
}

}  // namespace

std::vector<TicketFormat> system_formats() {
  return {
      {"ls dpdk-pmds",
       is_driver_directory,
       nullptr,
       parse_driver_directory,
       finish_driver_directory},
      {"mount", is_mount, is_mount_row, parse_mount, finish_mount},
      {"rdma", is_rdma, is_rdma_line, parse_rdma, finish_rdma},
      {"ls /sys/class/infiniband", is_rdma_directory, nullptr, parse_rdma_directory, finish_rdma},
      {"ibv_devices", is_ibv, is_ibv_line, parse_ibv, finish_ibv},
      {"meminfo", is_meminfo, is_hugepages_line, parse_meminfo},
      {"hugepages", is_hugepages_file, is_hugepages_file_line, parse_hugepages_file},
      {"dpkg", is_dpkg, is_dpkg_row, parse_dpkg},
      {"rpm", is_rpm, nullptr, parse_rpm},
  };
}

}  // namespace manactl::host
