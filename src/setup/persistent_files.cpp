// SPDX-License-Identifier: MIT

#include "setup/persistent_files.h"

#include <algorithm>

#include "base/characters.h"
#include "base/text.h"
#include "setup/boot_hugepages.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

bool is_safe_in_unit(const std::string& name) {
  return !name.empty() && name.front() != '-' && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
         });
}

std::string hugepage_options(const std::optional<HugepageRequest>& hugepages) {
  if (!hugepages || !hugepages->is_default) return " --hugepages none";
  std::string options;
  if (hugepages->page_kib != 0) {
    options += fmt::format(" --hugepage-size {}", word_of(kHugepageSizes, hugepages->page_kib));
  }
  if (hugepages->node) options += fmt::format(" --node {}", *hugepages->node);
  if (!hugepages->program.empty()) options += " --for " + hugepages->program;
  return options;
}

// Without --force-interface: nobody watches a boot, so the guard decides.
std::string command_of(const Request& request, const std::string& name) {
  std::string command =
      request.boot_program + " prepare " + name + hugepage_options(request.hugepages);
  if (request.vf_only) command += " --vf-only";
  if (request.mtu) command += fmt::format(" --mtu {}", *request.mtu);
  if (request.method == Method::driver_override) command += " --method driver-override";
  if (request.method == Method::new_id) command += " --method new-id";
  return command;
}

// The unit names its NIC by interface, and another device may have that name at a later boot. udev
// derives alternative names from the device, so they need no assertion. A channel that is bound to
// uio_hv_generic has no interface; `prepare` then changes nothing.
std::string asserts_of(const NicIdentity& nic, const std::string& name) {
  if (nic.channel && name == nic.interface) {
    const auto device = device_path(nic.channel->str());
    return fmt::format(
        "AssertPathExists=|/{}/net/{}\nAssertPathExists=|/{}/uio\n", device, name, device);
  }
  if (!nic.pci || name != nic.vf) return {};
  return fmt::format("AssertPathExists=/sys/bus/pci/devices/{}/net/{}\n", nic.pci->str(), name);
}

// `systemd-analyze security` describes the settings. A setting that is missing has its reason here.
constexpr std::string_view kSandbox =
    "# The sandbox. 'prepare' changes links, writes to sysfs and loads modules, so it needs\n"
    "# CAP_NET_ADMIN and CAP_SYS_MODULE, and neither ProtectKernelTunables nor "
    "ProtectKernelModules\n"
    "# can be set. It refuses a NIC that carries an SSH session or a mount on the network. To "
    "find\n"
    "# them, it reads /proc/PID/fd of all processes (CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH) and the\n"
    "# mounts: ProtectHome=yes would hide those below /home.\n"
    "StateDirectory=manactl\n"
    "StateDirectoryMode=0700\n"
    "RuntimeDirectory=manactl\n"
    "RuntimeDirectoryMode=0700\n"
    "RuntimeDirectoryPreserve=yes\n"
    "CapabilityBoundingSet=CAP_NET_ADMIN CAP_SYS_MODULE CAP_SYS_PTRACE CAP_DAC_READ_SEARCH\n"
    "NoNewPrivileges=yes\n"
    "ProtectSystem=strict\n"
    "ProtectHome=read-only\n"
    "ProtectClock=yes\n"
    "ProtectControlGroups=yes\n"
    "ProtectHostname=yes\n"
    "ProtectKernelLogs=yes\n"
    "PrivateDevices=yes\n"
    "PrivateMounts=yes\n"
    "PrivateTmp=yes\n"
    "DevicePolicy=closed\n"
    "IPAddressDeny=any\n"
    "LockPersonality=yes\n"
    "MemoryDenyWriteExecute=yes\n"
    "RestrictAddressFamilies=AF_NETLINK AF_UNIX\n"
    "RestrictNamespaces=yes\n"
    "RestrictRealtime=yes\n"
    "RestrictSUIDSGID=yes\n"
    "SystemCallArchitectures=native\n"
    "SystemCallErrorNumber=EPERM\n"
    "SystemCallFilter=@system-service\n"
    "SystemCallFilter=~@privileged @resources\n"
    "SystemCallFilter=bpf finit_module init_module\n"
    "UMask=0077\n";

// The unit starts after network-online.target and after remote file systems and disks, because the
// guard must see what the NIC carries.
// systemd starts the units of all NICs at the same time, and `prepare` does not wait for its lock:
// flock(1) runs them one after another.
std::string unit_of(const Request& request, const Entry& entry) {
  const std::string& name = request.interface->str();
  return fmt::format(
      "[Unit]\n"
      "Description=Prepare {} for MANA in user space\n"
      "Documentation=man:manactl-prepare(1)\n"
      "Wants=network-online.target\n"
      "After=network-online.target remote-fs.target iscsi.service\n"
      "{}\n"
      "[Service]\n"
      "Type=oneshot\n"
      "RemainAfterExit=yes\n"
      "ExecStart=/usr/bin/flock /run/manactl/at-boot {}\n\n"
      "{}",
      name,
      asserts_of(entry.nic, name),
      command_of(request, name),
      kSandbox);
}

std::string networkd_rule_of(const MacAddress& mac) {
  return fmt::format("[Match]\nDriver=mana\nMACAddress={}\n\n[Link]\nUnmanaged=yes\n", mac.str());
}

// A section of its own, because `except:` in unmanaged-devices+= would change the rules of other
// files. In a device list, an exception has precedence, and `mac:` compares permanent addresses,
// which VLANs, bonds and bridges do not have (NetworkManager.conf(5)).
std::string network_manager_rule_of(const MacAddress& mac, const std::string& name) {
  return fmt::format(
      "# The VF shares its address with the synthetic interface, which has the driver {}.\n"
      "[device-manactl-{}]\n"
      "match-device=mac:{},except:driver:{}\n"
      "managed=0\n",
      kNetvsc,
      name,
      mac.str(),
      kNetvsc);
}

Result<> check_names(const std::string& name, const std::string& program) {
  if (!is_safe_in_unit(name)) {
    return fail(Errc::invalid,
                fmt::format("'{}' cannot be part of the name of a systemd unit", printable(name)));
  }
  if (!is_safe_in_unit(program.substr(program.rfind('/') + 1)) ||
      program.find_first_of(" \t\n%$\"'\\") != std::string::npos || !program.starts_with('/')) {
    return fail(Errc::invalid, "a systemd unit cannot contain the path of manactl");
  }
  return {};
}

}  // namespace

Result<std::vector<PersistentFile>> persistent_files(const Request& request,
                                                     const Entry& entry,
                                                     const os::Files& files) {
  const std::string name = entry.persistent_name();
  const std::string& program = request.boot_program;
  auto safe = check_names(name, program);
  if (safe && request.interface) safe = check_names(request.interface->str(), program);
  if (!safe) return tl::unexpected<Error>(safe.error());
  const std::string header = header_of(name);
  std::vector<PersistentFile> found;
  // The service unit reserves none, or, by default, only those that are still missing.
  const auto pages = boot_hugepages_of(entry);
  if (!pages.empty()) found.push_back({kTmpfiles, "manactl-" + name + ".conf", header + pages});
  if (!request.interface) return found;
  const auto mac = entry.nic.mac;
  if (!mac) {
    return fail(Errc::invalid,
                fmt::format("the address of the VF of '{}' is unknown, and a rule without it would "
                            "apply to every MANA interface",
                            name));
  }
  const std::string unit = "manactl-prepare-" + name + ".service";
  found.push_back({kUnitFiles, unit, header + unit_of(request, entry)});
  found.push_back(
      {kBootTarget, "manactl-" + name + ".conf", header + "[Unit]\nWants=" + unit + "\n"});
  found.push_back(
      {kNetworkdFiles, "05-manactl-" + name + ".network", header + networkd_rule_of(*mac)});
  if (exists(files, "etc/NetworkManager")) {
    found.push_back({kNetworkManagerFiles,
                     "90-manactl-" + name + ".conf",
                     header + network_manager_rule_of(*mac, name)});
  }
  return found;
}

}  // namespace manactl::setup
