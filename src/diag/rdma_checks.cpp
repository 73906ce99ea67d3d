// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/check.h"
#include "diag/driver_id.h"
#include "diag/fact_lookups.h"
#include "diag/finding.h"
#include "diag/release_table.h"
#include "diag/remedies.h"

namespace manactl::diag {

namespace {

// ---- devices and device nodes -------------------------------------------------------------------

std::vector<std::string> devices_of(const host::PciFunction& function, const host::Facts& facts) {
  std::vector<std::string> names = function.rdma_devices;
  for (const host::RdmaDevice* device : mana_rdma_devices(facts)) {
    const bool is_of_function = device->pci == function.address;
    if (is_of_function && std::find(names.begin(), names.end(), device->name) == names.end()) {
      names.push_back(device->name);
    }
  }
  return names;
}

std::vector<std::string> load_rdma_modules(const host::Facts& facts) {
  std::vector<std::string> commands;
  for (const std::string_view module : {"mana_ib", "ib_uverbs"}) {
    append_commands(commands, load_module_commands(facts, module));
  }
  commands.emplace_back("dmesg | grep -i mana");
  return commands;
}

Finding devices(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.rdma.devices) return unknown(facts.rdma.devices.error().message);
  FindingBuilder findings;
  for (const host::PciFunction* function : mana_functions(facts)) {
    const auto names = devices_of(*function, facts);
    if (names.empty()) {
      findings.fail(fmt::format("{} has no RDMA device", function->address.str()),
                    load_rdma_modules(facts));
    } else {
      findings.ok(fmt::format("{}: {}", function->address.str(), join(names, ", ")),
                  join(names, ", "));
    }
  }
  return findings.build("no MANA function",
                        "load the modules and, if there is still no device, read the kernel log: "
                        "mana_ib creates the RDMA device mana_N for each function, and also "
                        "manae_N since Linux 6.16; net_mana accesses the NIC through it");
}

const host::UverbsNode* node_of(const host::Facts& facts, const std::string& uverbs) {
  const auto& nodes = *facts.rdma.nodes;
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&uverbs](const host::UverbsNode& node) {
        return node.path.ends_with("/" + uverbs);
      });
  return found == nodes.end() ? nullptr : &*found;
}

void add_node(const host::RdmaDevice& device, const host::Facts& facts, FindingBuilder& findings) {
  if (device.uverbs.empty()) {
    findings.fail(fmt::format("{} has no character device", device.name),
                  load_module_commands(facts, "ib_uverbs"));
    return;
  }
  const host::UverbsNode* node = node_of(facts, device.uverbs);
  if (node == nullptr) {
    findings.fail(fmt::format("{}: /dev/infiniband/{} does not exist", device.name, device.uverbs),
                  {"udevadm trigger --subsystem-match=infiniband_verbs --action=add"});
    return;
  }
  const std::string text = fmt::format("{}: /{}, mode {:04o}, owner {}:{}",
                                       device.name,
                                       node->path,
                                       node->mode & 07777U,
                                       node->uid,
                                       node->gid);
  if (node->usable) {
    findings.ok(text, device.uverbs);
  } else {
    findings.warn(text + ", not accessible to this user",
                  {fmt::format("chmod 0666 {}", shell_word("/" + node->path))});
  }
}

Finding nodes(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.rdma.devices) return unknown(facts.rdma.devices.error().message);
  if (!facts.rdma.nodes) return unknown(facts.rdma.nodes.error().message);
  FindingBuilder findings;
  for (const host::RdmaDevice* device : mana_rdma_devices(facts)) {
    add_node(*device, facts, findings);
  }
  return findings.build(
      "no MANA RDMA device",
      "let udev create the device node with mode 0666, and start containers with --device "
      "/dev/infiniband: DPDK opens /dev/infiniband/uverbsN for reading and writing");
}

// ---- rights -------------------------------------------------------------------------------------

Finding rights(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.limits) return unknown(facts.limits.error().message);
  const host::Limits& limits = *facts.limits;
  if (limits.net_raw) return pass(fmt::format("uid {} has CAP_NET_RAW", limits.uid));
  if (limits.uid != 0) {
    return skipped(fmt::format("uid {} without CAP_NET_RAW; DPDK needs root", limits.uid));
  }
  return fail("root without CAP_NET_RAW (in a container?)",
              {"start the container with --cap-add NET_RAW --cap-add NET_ADMIN --cap-add IPC_LOCK: "
               "without CAP_NET_RAW the kernel refuses raw packet queues with EPERM",
               {}});
}

// Lockable memory required if no benchmark is planned: two queues with 2048-byte buffers need less.
constexpr std::uint64_t kDefaultMemory = 64ULL << 20;

Finding memlock(const host::Facts& facts, const CheckOptions& options) {
  if (!facts.limits) return unknown(facts.limits.error().message);
  const host::Limits& limits = *facts.limits;
  if (limits.ipc_lock) return pass("no limit (CAP_IPC_LOCK)");
  if (limits.memlock_soft == UINT64_MAX) return pass("no limit");
  const std::uint64_t required = options.bench_bytes != 0 ? options.bench_bytes : kDefaultMemory;
  const std::string have = human_bytes(limits.memlock_soft);
  if (limits.memlock_soft >= required) {
    return pass(fmt::format("limit {}, {} required", have, human_bytes(required)));
  }
  return warn(
      fmt::format("limit {}, {} required", have, human_bytes(required)),
      {"run the program as root, or remove the limit of its user with this command and log in "
       "again: the kernel locks the memory that the NIC accesses",
       {write_file_command("/etc/security/limits.d/90-memlock.conf", {"* - memlock unlimited"})}});
}

// ---- rdma-core ----------------------------------------------------------------------------------

// The order of these two lines of the header determines the driver ids 19 and 20.
constexpr const char* kSwapDriverIds =
    "sed -i '/RDMA_DRIVER_ERDMA,/{h;d};/RDMA_DRIVER_MANA,/G' "
    "rdma-core/kernel-headers/rdma/ib_user_ioctl_verbs.h";

Remedy newer_rdma_core(const host::Facts& facts) {
  const auto advice = advice_on_old_release(facts);
  if (!advice.empty()) {
    const Remedy swap{
        "if this release has to stay, build rdma-core with the driver ids 19 and 20 swapped, and "
        "mask "
        "rdma-ndd, which would delay logins:",
        build_rdma_core(family_of(facts), kSwapDriverIds)};
    if (is_missing(facts, "mana_ib")) {
      return {"follow the remedy of kernel.mana-ib: Ubuntu 24.04 has rdma-core 50", {}};
    }
    return {advice, {}, {swap}};
  }
  const auto devices = mana_rdma_devices(facts);
  const bool uses_19 = std::ranges::any_of(
      devices, [](const host::RdmaDevice* device) { return device->driver_id == kBackportManaId; });
  if (is_rdma_core_too_old(facts) && uses_19) {
    auto commands = newer_kernel_commands(facts);
    append_commands(commands, build_rdma_core(family_of(facts)));
    return {
        "install the newest kernel for Azure, because this one uses 19 for MANA, and build "
        "rdma-core 44 or later; mask rdma-ndd (it delays logins); reboot at the end:",
        std::move(commands)};
  }
  if (is_rdma_core_too_old(facts)) {
    return {"build rdma-core 44 or later; mask rdma-ndd (it delays logins):",
            build_rdma_core(family_of(facts))};
  }
  return {
      "install rdma-core 44 or later with MANA's provider (package ibverbs-providers on Debian and "
      "Ubuntu, libibverbs elsewhere)",
      install_rdma_core(facts)};
}

Finding core(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.rdma.rdma_core) return unknown(facts.rdma.rdma_core.error().message);
  const std::optional<Release>& version = *facts.rdma.rdma_core;
  if (!version) return fail("libibverbs.so.1 is not installed", newer_rdma_core(facts));
  const std::string name = fmt::format("rdma-core {}", version->major);
  if (*version < release_table().mana_provider) {
    return fail(name + " is older than 44", newer_rdma_core(facts));
  }
  if (!facts.rdma.mana_provider) return unknown(facts.rdma.mana_provider.error().message);
  if (!*facts.rdma.mana_provider) {
    auto finding = fail(name + ", but its MANA provider (libmana.so.1) is not installed",
                        newer_rdma_core(facts));
    finding.reason = "no libmana is installed";
    return finding;
  }
  const auto& loaded = facts.rdma.libraries;
  if (!loaded && loaded.error().code != Errc::not_found) return unknown(loaded.error().message);
  if (!loaded) {
    return fail(fmt::format("{}: {}", name, loaded.error().message),
                {"install libibverbs and libmana of one release of rdma-core, and remove other "
                 "copies, which 'ldconfig -p' lists",
                 reinstall_rdma_core(facts)});
  }
  return pass(name + " with libmana.so.1");
}

// ---- driver id and provider ---------------------------------------------------------------------

// `kernel` is the driver id that the kernel reports.
Remedy remedy_against_clash(const host::Facts& facts, std::uint32_t kernel) {
  constexpr const char* kWhyMaskRdmaNdd =
      "the last command is needed because rdma-ndd would delay SSH logins after a boot by minutes";
  if (kernel == kManaId) {
    return {fmt::format("replace the patched rdma-core with one that uses driver id 20 ({}):",
                        kWhyMaskRdmaNdd),
            build_rdma_core(family_of(facts))};
  }
  Remedy remedy{
      "install the distribution's newest kernel for Azure, which uses driver id 20 (active after a "
      "reboot)",
      newer_kernel_commands(facts)};
  if (kernel == kBackportManaId && !advice_on_old_release(facts).empty())
    return newer_rdma_core(facts);
  if (kernel == kBackportManaId) {
    remedy.others.push_back(
        {fmt::format("build rdma-core with the ids 19 and 20 swapped, if this kernel has to stay; "
                     "{}:",
                     kWhyMaskRdmaNdd),
         build_rdma_core(family_of(facts), kSwapDriverIds)});
  }
  return remedy;
}

void add_verdict(const DriverIdVerdict& verdict,
                 const host::Facts& facts,
                 FindingBuilder& findings) {
  // rdma.core has the commands for an rdma-core that is too old.
  std::vector<std::string> commands;
  const bool lacks_provider = verdict.core_is_too_old && !verdict.ids_clash;
  if (lacks_provider && !is_rdma_core_too_old(facts)) commands = install_rdma_core(facts);
  switch (verdict.status) {
    case Status::fail:
      return findings.fail(verdict.line, std::move(commands));
    case Status::warn:
      return findings.warn(verdict.line, std::move(commands));
    case Status::pass:
      return findings.ok(verdict.line, verdict.name);
    case Status::skipped:
    case Status::unknown:
      return findings.unknown(verdict.line);
  }
}

void add_numbers(const host::Facts& facts, const DriverIdInput& input, Finding& finding) {
  auto& evidence = finding.evidence;
  for (const auto number : {kBackportManaId, kManaId}) {
    evidence.push_back(fmt::format("{} is {}", number, driver_id_owner(number)));
  }
  if (input.kernel && *input.kernel != kBackportManaId && *input.kernel != kManaId) {
    const std::string owner = driver_id_owner(*input.kernel);
    evidence.push_back(fmt::format("{} is {}", *input.kernel, owner.empty() ? "unknown" : owner));
  }
  if (!facts.rdma.btf_mana) {
    evidence.push_back(facts.rdma.btf_mana.error().message);
  } else if (!*facts.rdma.btf_mana) {
    evidence.emplace_back("BTF of the running kernel lacks RDMA_DRIVER_MANA");
  } else {
    evidence.push_back(
        fmt::format("BTF of the running kernel: RDMA_DRIVER_MANA = {}", **facts.rdma.btf_mana));
  }
}

Finding driver_id(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.rdma.devices) return unknown(facts.rdma.devices.error().message);
  const auto devices = mana_rdma_devices(facts);
  if (devices.empty()) return skipped("no MANA RDMA device: mana_ib or ib_uverbs is not loaded");
  FindingBuilder findings;
  std::optional<std::uint32_t> clash;
  for (const host::RdmaDevice* device : devices) {
    const DriverIdVerdict verdict = judge_driver_id(driver_id_input(*device, facts));
    if (verdict.ids_clash) clash = device->driver_id;
    add_verdict(verdict, facts, findings);
  }
  constexpr const char* kWhy =
      "libibverbs finds MANA's provider, which DPDK needs, only by the kernel's driver id";
  Finding finding = findings.build(
      "",
      is_rdma_core_too_old(facts)
          ? fmt::format("follow the remedy of rdma.core, which replaces rdma-core: {}", kWhy)
          : fmt::format("load ib_uverbs and use rdma-core 44 or later: {}", kWhy));
  if (clash && finding.remedy) finding.remedy = remedy_against_clash(facts, *clash);
  add_numbers(facts, driver_id_input(*devices.front(), facts), finding);
  return finding;
}

bool is_only_plug_in_missing(const host::RdmaDevice& device,
                             const ProviderChoice& choice,
                             const host::Facts& facts) {
  return choice.kind == ProviderChoice::Kind::none && has_mana_library(facts) &&
         judge_driver_id(driver_id_input(device, facts)).status == Status::pass;
}

Finding provider(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.rdma.devices) return unknown(facts.rdma.devices.error().message);
  FindingBuilder findings;
  for (const host::RdmaDevice* device : mana_rdma_devices(facts)) {
    const ProviderChoice choice = provider_of(facts, device->name);
    if (choice.kind == ProviderChoice::Kind::unknown) {
      findings.unknown(fmt::format("{}: {}", device->name, choice.reason));
    } else if (is_only_plug_in_missing(*device, choice, facts)) {
      findings.warn(fmt::format("{}: no plug-in for MANA (libmana-rdmav*.so) matches libibverbs; "
                                "programs linked with libmana, such as those that use net_mana, "
                                "still work",
                                device->name),
                    install_rdma_core(facts));
    } else if (choice.kind == ProviderChoice::Kind::none) {
      findings.fail(fmt::format("{}: libibverbs has no provider", device->name),
                    {"IBV_SHOW_WARNINGS=1 ibv_devices"});
    } else if (choice.name != "mana") {
      findings.fail(fmt::format("{}: libibverbs chose {}, not mana", device->name, choice.name));
    } else {
      findings.ok(fmt::format("{}: libibverbs chose mana", device->name), device->name);
    }
  }
  return findings.build("no MANA RDMA device",
                        "find out from rdma.driver-id and rdma.core why libibverbs did not choose "
                        "mana: other providers lack functions that net_mana calls, so DPDK fails "
                        "with 'ibv_alloc_parent_domain failed' (error -12)");
}

constexpr std::array<std::string_view, 5> kDeviceCauses = {
    "kernel.mana-ib", "kernel.mana", "hardware.driver", "kernel.ib-uverbs", "hardware.mana"};
constexpr std::array<std::string_view, 3> kNodeCauses = {
    "kernel.ib-uverbs", "rdma.devices", "kernel.mana-ib"};
constexpr std::array<std::string_view, 2> kDriverIdCauses = {"kernel.ib-uverbs", "rdma.core"};
constexpr std::array<std::string_view, 3> kProviderCauses = {
    "rdma.driver-id", "rdma.core", "kernel.ib-uverbs"};

constexpr std::array kRdmaChecks = {
    Check{"rdma.devices",
          "every MANA function has an RDMA device",
          "A MANA function has no RDMA device",
          Requirement::mana,
          Use::dpdk,
          devices,
          kDeviceCauses},
    Check{"rdma.nodes",
          "the RDMA devices can be opened",
          "An RDMA device cannot be opened",
          Requirement::mana,
          Use::dpdk,
          nodes,
          kNodeCauses},
    Check{"rdma.rights",
          "this process may create raw packet queues",
          "This process may not create raw packet queues",
          Requirement::mana,
          Use::dpdk,
          rights},
    Check{"rdma.memlock",
          "the locked-memory limit is high enough",
          "The locked-memory limit is too low",
          Requirement::mana,
          Use::dpdk,
          memlock},
    Check{"rdma.core",
          "rdma-core has a provider for MANA",
          "rdma-core has no provider for MANA",
          Requirement::azure,
          Use::dpdk,
          core},
    Check{"rdma.driver-id",
          "the kernel and rdma-core agree on MANA's driver id",
          "The kernel and rdma-core disagree on MANA's driver id",
          Requirement::mana,
          Use::dpdk,
          driver_id,
          kDriverIdCauses},
    Check{"rdma.provider",
          "libibverbs chose the mana provider",
          "libibverbs did not choose the mana provider",
          Requirement::mana,
          Use::dpdk,
          provider,
          kProviderCauses},
};

}  // namespace

std::span<const Check> rdma_checks() {
  return kRdmaChecks;
}

}  // namespace manactl::diag
