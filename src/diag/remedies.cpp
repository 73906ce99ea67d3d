// SPDX-License-Identifier: MIT

#include "diag/remedies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/enum_words.h"
#include "base/text.h"
#include "diag/fact_lookups.h"
#include "diag/release_table.h"
#include "host/versions.h"

namespace manactl::diag {

namespace {

// Distributions by the field ID of /etc/os-release.
constexpr EnumWords<Family, 12> kDistributions = {{
    {Family::ubuntu, "ubuntu"},
    {Family::debian, "debian"},
    {Family::redhat, "rhel"},
    {Family::redhat, "centos"},
    {Family::redhat, "fedora"},
    {Family::redhat, "almalinux"},
    {Family::redhat, "rocky"},
    {Family::redhat, "ol"},
    {Family::azurelinux, "azurelinux"},
    {Family::azurelinux, "mariner"},
    {Family::suse, "sles"},
    {Family::suse, "opensuse-leap"},
}};

// Returns the first upstream kernel that can be built with the module. On ARM64, Linux 6.10 allows
// mana with pages of 4 KiB, and 6.11 with all pages (commits 40a1d11fc670 and 382d1741b5b2).
Release first_with(const host::Kernel& kernel, std::string_view name) {
  if (name != "mana" && name != "mana_ib") return {};
  if (kernel.is_arm64()) return kernel.has_large_pages() ? Release{6, 11, 0} : Release{6, 10, 0};
  return name == "mana" ? Release{5, 13, 0} : Release{6, 2, 0};
}

// Returns false if the kernel is too old for the module, so that no package of its modules has it.
bool may_contain(const host::Kernel& kernel, std::string_view name) {
  const auto release = Release::parse(kernel.release);
  return (release && *release >= first_with(kernel, name)) || find_backport(kernel) != nullptr;
}

// linux-azure of Ubuntu 20.04 is the backport 5.15, also as its hardware enablement kernel (HWE);
// that of Ubuntu 22.04 is newer.
bool has_only_backport(const host::Kernel& kernel) {
  if (kernel.distribution != "ubuntu") return false;
  const auto distribution = Release::parse(kernel.distribution_release);
  const auto release = Release::parse(kernel.release);
  if (!release || *release >= Release{5, 16, 0}) return false;  // not a kernel of Ubuntu 20.04
  return distribution ? *distribution < Release{22, 4, 0} : *release < Release{5, 15, 0};
}

constexpr const char* kOldUbuntu =
    "use Ubuntu 24.04 or later: the newest linux-azure of Ubuntu 20.04, 5.15, contains mana and "
    "mana_ib, but reports driver id 19, by which rdma-core does not recognize MANA";

ModuleSource ubuntu_module(const host::Kernel& kernel, std::string_view name) {
  if (has_only_backport(kernel)) return {kOldUbuntu, {}};
  const auto& release = kernel.release;
  if (!release.ends_with("-azure") || !may_contain(kernel, name)) {
    return {fmt::format("linux-azure and linux-modules-extra-azure contain {} (active after a "
                        "reboot); this kernel is '{}'",
                        name,
                        release),
            {"apt-get update", "apt-get install -y linux-azure linux-modules-extra-azure"}};
  }
  return {fmt::format("{} is in the extra modules of Ubuntu's azure kernel "
                      "(linux-modules-extra-azure keeps them current)",
                      name),
          {"apt-get update",
           fmt::format("apt-get install -y {}", shell_word("linux-modules-extra-" + release)),
           fmt::format("modprobe {}", name)}};
}

ModuleSource debian_module(const host::Kernel& kernel, std::string_view name) {
  const auto parsed = Release::parse(kernel.release);
  if (parsed && *parsed < Release{6, 1, 0}) {
    return {
        fmt::format("use Debian 13: the kernels of Debian 11 and earlier do not contain {}, and "
                    "their backports are no longer published",
                    name),
        {}};
  }
  const std::string_view architecture = kernel.is_arm64() ? "arm64" : "amd64";
  const unsigned release = debian_release(kernel.release);
  if (release > 12) {
    return {
        fmt::format("the cloud kernel of Debian {} has {} (active after a reboot)", release, name),
        {"apt-get update", fmt::format("apt-get install -y linux-image-cloud-{}", architecture)}};
  }
  return {
      fmt::format("the cloud kernel of bookworm-backports has {} (active after a reboot)", name),
      // Uses the mirror of this machine, which apt lists only after an update. Third parties
      // and the security archive have other labels.
      {"apt-get update",
       "apt-get indextargets --format 'deb $(REPO_URI) bookworm-backports main' "
       "'Label: Debian' | sort -u | tee /etc/apt/sources.list.d/backports.list",
       "apt-get update",
       fmt::format("apt-get install -y -t bookworm-backports linux-image-cloud-{}", architecture)}};
}

// The extra modules of a kernel without the backport do not contain MANA's modules either. The
// release of the kernel with pages of 64 KiB ends with "+64k"; its packages have another name.
ModuleSource redhat_module(const host::Kernel& kernel, std::string_view name) {
  constexpr std::string_view k64k = "+64k";
  const bool is_64k = kernel.release.ends_with(k64k);
  const std::string flavor = is_64k ? "kernel-64k" : "kernel";
  // A ticket may show the packages, but not the release.
  if (kernel.release.empty()) {
    return {
        fmt::format("{} is in kernel-modules-extra", name),
        {"dnf install -y \"kernel-modules-extra-$(uname -r)\"", fmt::format("modprobe {}", name)}};
  }
  if (!may_contain(kernel, name)) {
    const std::string_view since = kernel.is_arm64() ? "later kernels of RHEL for ARM64"
                                                     : "kernels of RHEL 8.9, 9.3 and later";
    return {fmt::format("{} have {} (active after a reboot)", since, name),
            {fmt::format("dnf upgrade -y {}", flavor),
             fmt::format("dnf install -y {}-modules-extra", flavor)}};
  }
  const auto version = kernel.release.substr(0, kernel.release.size() - (is_64k ? k64k.size() : 0));
  const auto package = fmt::format("{}-modules-extra", flavor);
  return {fmt::format("{} is in {}", name, package),
          {fmt::format("dnf install -y {}", shell_word(fmt::format("{}-{}", package, version))),
           fmt::format("modprobe {}", name)}};
}

// For a kernel whose pages are larger than mana allows. On RHEL, both kernels can be installed.
ModuleSource kernel_with_small_pages(Family family, std::string_view name) {
  if (family == Family::redhat) {
    return {fmt::format("kernels with pages of more than 4 KiB have {} since Linux 6.11; the "
                        "commands select one with pages of 4 KiB (active after a reboot)",
                        name),
            {"dnf install -y kernel kernel-modules-extra",
             "grubby --set-default \"$(ls -v /boot/vmlinuz-*.aarch64 | tail -n 1)\""}};
  }
  return {fmt::format("start a kernel with pages of 4 KiB, or Linux 6.11 or later: older kernels "
                      "with larger pages do not have {}",
                      name),
          {}};
}

ModuleSource azurelinux_module(const host::Kernel& kernel, std::string_view name) {
  const auto& release = kernel.release;
  if (!kernel.is_arm64() && name == "mana_ib" &&
      (release.starts_with("6.6.") || release.starts_with("6.12."))) {
    return {
        "use Azure Linux 4: the x86_64 kernels of Azure Linux 3 do not contain mana_ib, so DPDK "
        "has only the synthetic path",
        {}};
  }
  return {fmt::format("this kernel of Azure Linux is built without {}", name), {"tdnf update -y"}};
}

}  // namespace

unsigned debian_release(std::string_view kernel) {
  constexpr std::string_view kMark = "+deb";
  constexpr unsigned kWithoutMark = 12;
  const auto at = kernel.find(kMark);
  if (at == std::string_view::npos) return kWithoutMark;
  const auto release = parse_unsigned(kernel.substr(at + kMark.size(), 2), 99);
  return release ? static_cast<unsigned>(*release) : kWithoutMark;
}

Family family_of(const host::Facts& facts) {
  if (!facts.kernel) return Family::other;
  return value_of(kDistributions, facts.kernel->distribution).value_or(Family::other);
}

std::vector<std::string> install(Family family, std::string_view packages) {
  switch (family) {
    case Family::debian:
    case Family::ubuntu:
      return {"apt-get update", fmt::format("apt-get install -y {}", packages)};
    case Family::redhat:
      return {fmt::format("dnf install -y {}", packages)};
    case Family::azurelinux:
      return {fmt::format("tdnf install -y {}", packages)};
    case Family::suse:
      return {fmt::format("zypper --non-interactive install {}", packages)};
    case Family::other:
      return {};
  }
  return {};
}

std::string_view compiler_packages(Family family) {
  const bool has_group =
      family == Family::debian || family == Family::ubuntu || family == Family::azurelinux;
  return has_group ? "build-essential" : "gcc make";
}

std::vector<std::string> build_rdma_core(Family family, const std::string& edit) {
  const bool deb = family == Family::debian || family == Family::ubuntu;
  auto commands = install(family,
                          deb ? "git build-essential cmake pkg-config libudev-dev libnl-3-dev "
                                "libnl-route-3-dev"
                              : fmt::format("git {} cmake pkg-config systemd-devel libnl3-devel",
                                            compiler_packages(family)));
  commands.emplace_back("git clone --depth 1 -b v50.1 https://github.com/linux-rdma/rdma-core.git");
  if (!edit.empty()) commands.push_back(edit);
  for (const auto* command :
       {"cmake -S rdma-core -B rdma-core/build -DCMAKE_INSTALL_PREFIX=/usr -DNO_MAN_PAGES=1",
        "make -C rdma-core/build install",
        "ldconfig",
        "systemctl mask rdma-ndd.service"}) {
    commands.emplace_back(command);
  }
  return commands;
}

std::vector<std::string> install_rdma_core(const host::Facts& facts) {
  const Family family = family_of(facts);
  const bool deb = family == Family::debian || family == Family::ubuntu;
  return install(family, deb ? "rdma-core ibverbs-providers" : "rdma-core libibverbs");
}

std::vector<std::string> reinstall_rdma_core(const host::Facts& facts) {
  switch (family_of(facts)) {
    case Family::debian:
    case Family::ubuntu:
      return {"apt-get update", "apt-get install -y --reinstall libibverbs1 ibverbs-providers"};
    case Family::redhat:
      return {"dnf reinstall -y libibverbs"};
    case Family::azurelinux:
      return {"tdnf reinstall -y libibverbs"};
    case Family::suse:
      return {"zypper --non-interactive install --force libibverbs1 libmana1"};
    case Family::other:
      break;
  }
  return {};
}

ModuleSource source_of_module(const host::Facts& facts, std::string_view name) {
  const host::Kernel kernel = facts.kernel ? *facts.kernel : host::Kernel{};
  if (kernel.has_large_pages() && !may_contain(kernel, name)) {
    return kernel_with_small_pages(family_of(facts), name);
  }
  switch (family_of(facts)) {
    case Family::ubuntu:
      return ubuntu_module(kernel, name);
    case Family::debian:
      return debian_module(kernel, name);
    case Family::redhat:
      return redhat_module(kernel, name);
    case Family::azurelinux:
      return azurelinux_module(kernel, name);
    case Family::suse:
      return {fmt::format("the newest kernel-azure usually has {} (active after a reboot)", name),
              {"zypper --non-interactive install kernel-azure"}};
    case Family::other:
      break;
  }
  return {
      fmt::format("install the distribution's newest kernel for Azure, which usually has {}", name),
      {}};
}

std::optional<Remedy> remedy_for_module(const Captures& line) {
  const auto module = capture(line, "module");
  const auto directory = capture(line, "directory");
  const std::string release(directory.substr(directory.rfind('/') + 1));
  const auto distribution = host::distribution_of(release);
  if (module.empty() || distribution.empty()) return std::nullopt;
  host::Facts facts;
  facts.kernel.emplace();
  facts.kernel->release = release;
  facts.kernel->machine = release.ends_with(".aarch64") ? "aarch64" : "x86_64";
  facts.kernel->distribution = distribution;
  auto [why, commands] = source_of_module(facts, module);
  return Remedy{std::move(why), std::move(commands)};
}

std::vector<std::string> load_module_commands(const host::Facts& facts, std::string_view name) {
  if (is_missing(facts, name)) return source_of_module(facts, name).commands;
  return {fmt::format("modprobe {}", name)};
}

std::vector<std::string> install_module_commands(const host::Facts& facts,
                                                 const std::string& release,
                                                 std::string_view name) {
  if (!facts.kernel) return {};
  host::Facts other;
  other.kernel = *facts.kernel;
  other.kernel->release = release;
  auto commands = source_of_module(other, name).commands;
  std::erase_if(commands, [](const auto& command) { return command.starts_with("modprobe "); });
  return commands;
}

std::vector<std::string> add_to_initramfs_commands(Family family,
                                                   const std::set<std::string>& modules,
                                                   const std::vector<std::string>& releases) {
  if (family == Family::other || modules.empty()) return {};
  const auto names = join(std::vector<std::string>(modules.begin(), modules.end()), " ");
  const bool is_debian = family == Family::debian || family == Family::ubuntu;
  std::vector<std::string> commands = {
      is_debian ? fmt::format("printf '%s\\n' {} | tee -a /etc/initramfs-tools/modules", names)
                : write_file_command("/etc/dracut.conf.d/90-azure-nics.conf",
                                     {fmt::format("add_drivers+=\" {} \"", names)})};
  for (const auto& release : releases) {
    commands.push_back((is_debian ? "update-initramfs -u -k " : "dracut --force --kver ") +
                       shell_word(release));
  }
  return commands;
}

std::string advice_on_old_release(const host::Facts& facts) {
  return facts.kernel && has_only_backport(*facts.kernel) ? kOldUbuntu : std::string();
}

std::vector<std::string> newer_kernel_commands(const host::Facts& facts) {
  if (!advice_on_old_release(facts).empty()) return {};
  switch (family_of(facts)) {
    case Family::ubuntu:
      return {"apt-get update", "apt-get install -y linux-azure"};
    case Family::redhat:
      return {"dnf upgrade -y kernel"};
    case Family::debian:
      return source_of_module(facts, "mana_ib").commands;
    case Family::azurelinux:
      return {"tdnf update -y"};
    case Family::suse:
    case Family::other:
      break;
  }
  return {};
}

bool is_rdma_core_too_old(const host::Facts& facts) {
  const auto& installed = facts.rdma.rdma_core;
  return installed && *installed && **installed < release_table().mana_provider;
}

std::string link_command(const host::Netdev& device, std::string_view state) {
  return fmt::format("ip link set dev {} {}", shell_word(device.name), state);
}

std::vector<std::string> set_down_commands(const host::Facts& facts,
                                           const host::Nic& nic,
                                           const host::Netdev& device) {
  if (!facts.carries_nothing(nic)) return {};
  return {link_command(device, "down")};
}

std::string write_file_command(std::string_view path, const std::vector<std::string>& lines) {
  std::string words;
  for (const std::string& line : lines) words += " " + shell_word(line);
  return fmt::format("printf '%s\\n'{} | tee {}", words, shell_word(path));
}

std::string network_manager_rule_command() {
  return write_file_command(
      "/etc/NetworkManager/conf.d/99-azure-vf.conf",
      {"[keyfile]", "unmanaged-devices+=driver:mana;driver:mlx4_core;driver:mlx5_core"});
}

std::string networkd_rule_command() {
  return write_file_command(
      "/etc/systemd/network/01-azure-vf.network",
      {"[Match]", "Driver=mana mlx4_core mlx4_en mlx5_core", "[Link]", "Unmanaged=yes"});
}

}  // namespace manactl::diag
