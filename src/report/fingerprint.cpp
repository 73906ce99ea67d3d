// SPDX-License-Identifier: MIT

#include "report/fingerprint.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/enum_words.h"
#include "base/ids.h"
#include "base/quotes.h"
#include "base/text.h"

namespace manactl::report {
namespace {

// Returns the trimmed text of a small file; empty if the file cannot be read or contains "(null)",
// which the kernel prints for a CPU mask that is not set.
std::string read_text(const os::Files& files, const std::string& path) {
  const auto text = files.read(path);
  if (!text) return {};
  const auto trimmed = trim(*text);
  return trimmed == "(null)" ? std::string() : printable(trimmed);
}

// Returns the value of the first line "key<separator>value".
std::string value_of(std::string_view text, std::string_view key, char separator) {
  for (const auto line : split(text, '\n')) {
    const auto at = line.find(separator);
    if (at == std::string_view::npos || trim(line.substr(0, at)) != key) continue;
    return printable(trim(line.substr(at + 1)));
  }
  return {};
}

std::string distribution(const os::Files& files) {
  for (const auto* path : {"etc/os-release", "usr/lib/os-release"}) {
    const auto text = files.read(path);
    if (!text) continue;
    const std::string id(unquoted(value_of(*text, "ID", '=')));
    const std::string version(unquoted(value_of(*text, "VERSION_ID", '=')));
    return version.empty() ? id : fmt::format("{} {}", id, version);
  }
  return {};
}

unsigned count_of(const os::Files& files, const std::string& path) {
  const auto list = CpuList::parse(read_text(files, path));
  return list ? static_cast<unsigned>(list->cpus.size()) : 0;
}

// Returns the governors of all cpufreq policies. A policy is a set of CPUs that share a frequency.
std::string governor(const os::Files& files) {
  constexpr const char* kPolicies = "sys/devices/system/cpu/cpufreq";
  std::vector<std::string> found;
  const auto names = files.list(kPolicies);
  if (!names) return {};
  for (const auto& name : *names) {
    if (!name.starts_with("policy")) continue;
    auto word = read_text(files, fmt::format("{}/{}/scaling_governor", kPolicies, name));
    if (!word.empty() && std::find(found.begin(), found.end(), word) == found.end()) {
      found.push_back(std::move(word));
    }
  }
  return join(found, ", ");
}

bool has_word(std::string_view text, std::string_view word) {
  const auto all = words(text);
  return std::find(all.begin(), all.end(), word) != all.end();
}

// The CPUs of Azure's VMs for ARM64, by implementer and part number (arch/arm64 of Linux:
// include/asm/cputype.h). Cobalt 100 has Arm's or Microsoft's number of the implementer.
constexpr EnumWords<std::pair<std::string_view, std::string_view>, 4> kArmCpus = {
    {{{"0x41", "0xd0c"}, "Arm Neoverse-N1"},
     {{"0x41", "0xd49"}, "Arm Neoverse-N2"},
     {{"0x41", "0xd84"}, "Arm Neoverse-V3"},
     {{"0x6d", "0xd49"}, "Microsoft Azure Cobalt 100"}}};

// The kernel has a model name for x86, and only numbers for ARM64.
std::string cpu_name(std::string_view cpuinfo) {
  auto model = value_of(cpuinfo, "model name", ':');
  if (!model.empty()) return model;
  const auto implementer = value_of(cpuinfo, "CPU implementer", ':');
  const auto part = value_of(cpuinfo, "CPU part", ':');
  if (implementer.empty() || part.empty()) return {};
  const auto name =
      word_of(kArmCpus, std::pair<std::string_view, std::string_view>(implementer, part));
  return name.empty() ? fmt::format("ARM implementer {} part {}", implementer, part)
                      : std::string(name);
}

// DMI also names the vendor of physical machines, so the CPU flag "hypervisor" of x86 or the VMBus
// of Hyper-V is required.
std::string hypervisor(const os::Files& files, std::string_view cpuinfo) {
  auto type = read_text(files, "sys/hypervisor/type");
  if (!type.empty()) return type;
  if (!has_word(cpuinfo, "hypervisor") && !files.list("sys/bus/vmbus/devices")) return {};
  const auto vendor = read_text(files, "sys/class/dmi/id/sys_vendor");
  const auto product = read_text(files, "sys/class/dmi/id/product_name");
  if (vendor.empty() || product.empty())
    return vendor.empty() && product.empty() ? "unknown" : vendor + product;
  return vendor + ' ' + product;
}

}  // namespace

Fingerprint fingerprint(const os::Files& files) {
  const std::string cpus = "sys/devices/system/cpu/";
  const auto cpuinfo = files.read("proc/cpuinfo").value_or("");
  const auto memory = value_of(files.read("proc/meminfo").value_or(""), "MemTotal", ':');
  Fingerprint found;
  found.host = read_text(files, "proc/sys/kernel/hostname");
  found.kernel = read_text(files, "proc/sys/kernel/osrelease");
  found.distribution = distribution(files);
  found.cpu = cpu_name(cpuinfo);
  found.cpus = count_of(files, cpus + "online");
  found.numa_nodes = count_of(files, "sys/devices/system/node/online");
  found.governor = governor(files);
  found.isolated_cpus = read_text(files, cpus + "isolated");
  found.nohz_full_cpus = read_text(files, cpus + "nohz_full");
  found.smt = read_text(files, cpus + "smt/control");
  found.clocksource =
      read_text(files, "sys/devices/system/clocksource/clocksource0/current_clocksource");
  found.hypervisor = hypervisor(files, cpuinfo);
  const auto kib = parse_unsigned(memory.substr(0, memory.find(' ')));
  found.memory_kib = kib ? *kib : 0;
  return found;
}

std::optional<double> load_average(const os::Files& files) {
  const auto text = files.read("proc/loadavg");
  if (!text) return std::nullopt;
  const auto first = std::string_view(*text).substr(0, text->find(' '));
  double value = 0;
  const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), value);
  if (error != std::errc{} || end != first.data() + first.size()) return std::nullopt;
  return value;
}

}  // namespace manactl::report
