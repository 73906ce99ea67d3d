// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/driver_id.h"
#include "diag/groups.h"
#include "diag/remedies.h"
#include "diag/tally.h"
#include "diag/view.h"

namespace manactl::diag {

namespace {

// ---- devices and their nodes --------------------------------------------------------------------

std::vector<std::string> devices_of(const host::PciFunction& function, const host::Facts& facts) {
  std::vector<std::string> names = function.rdma_devices;
  for (const host::RdmaDevice* device : mana_rdma_devices(facts)) {
    const bool here = device->pci == function.address;
    if (here && std::find(names.begin(), names.end(), device->name) == names.end()) {
      names.push_back(device->name);
    }
  }
  return names;
}

Finding devices(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.rdma.devices) return unknown(facts.rdma.devices.error().message);
  Tally tally;
  for (const host::PciFunction* function : mana_functions(facts)) {
    const auto names = devices_of(*function, facts);
    if (names.empty()) {
      tally.fail(fmt::format("{} has no RDMA device", function->address.str()),
                 {"modprobe -a mana_ib ib_uverbs", "dmesg | grep -i mana"});
    } else {
      tally.ok(fmt::format("{}: {}", function->address.str(), join(names, ", ")),
               join(names, ", "));
    }
  }
  return tally.finding("no MANA function",
                       "mana_ib makes mana_N, and since 6.16 also manae_N, for each function; "
                       "net_mana opens it to reach the NIC");
}

const host::UverbsNode* node_of(const host::Facts& facts, const std::string& uverbs) {
  const auto& nodes = *facts.rdma.nodes;
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&uverbs](const host::UverbsNode& node) {
        return node.path.ends_with("/" + uverbs);
      });
  return found == nodes.end() ? nullptr : &*found;
}

void node_of_device(const host::RdmaDevice& device, const host::Facts& facts, Tally& tally) {
  if (device.uverbs.empty()) {
    tally.fail(fmt::format("{} has no character device", device.name), {"modprobe ib_uverbs"});
    return;
  }
  const host::UverbsNode* node = node_of(facts, device.uverbs);
  if (node == nullptr) {
    tally.fail(fmt::format("{}: /dev/infiniband/{} is not there", device.name, device.uverbs),
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
    tally.ok(text, device.uverbs);
  } else {
    tally.warn(text + ", not open to this user",
               {fmt::format("chmod 0666 {}", shell_word("/" + node->path))});
  }
}

Finding nodes(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.rdma.devices) return unknown(facts.rdma.devices.error().message);
  if (!facts.rdma.nodes) return unknown(facts.rdma.nodes.error().message);
  Tally tally;
  for (const host::RdmaDevice* device : mana_rdma_devices(facts)) {
    node_of_device(*device, facts, tally);
  }
  return tally.finding("no RDMA device of MANA",
                       "DPDK opens /dev/infiniband/uverbsN to read and write; udev makes it with "
                       "mode 0666, a container must be given it (--device /dev/infiniband)");
}

// ---- rights -------------------------------------------------------------------------------------

Finding rights(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.limits) return unknown(facts.limits.error().message);
  const host::Limits& limits = *facts.limits;
  if (limits.net_raw) return pass(fmt::format("uid {} has CAP_NET_RAW", limits.uid));
  if (limits.uid != 0) {
    return skipped(
        fmt::format("asked as uid {}, without CAP_NET_RAW; DPDK will need root", limits.uid));
  }
  return fail("root, but without CAP_NET_RAW (a container?)",
              {"the kernel refuses raw packet queues without it (errno 1); a container needs "
               "--cap-add NET_RAW --cap-add NET_ADMIN --cap-add IPC_LOCK when it is started",
               {}});
}

// What is wanted when no bench was named: two queues with 2048-byte buffers stay well below.
constexpr std::uint64_t kUsualMemory = 64ULL << 20;

Finding memlock(const host::Facts& facts, const Question& question) {
  if (!facts.limits) return unknown(facts.limits.error().message);
  const host::Limits& limits = *facts.limits;
  if (limits.ipc_lock) return pass("no limit (CAP_IPC_LOCK)");
  if (limits.memlock_soft == UINT64_MAX) return pass("no limit");
  const std::uint64_t wanted = question.bench_bytes != 0 ? question.bench_bytes : kUsualMemory;
  const std::string have = human_bytes(limits.memlock_soft);
  if (limits.memlock_soft >= wanted) {
    return pass(fmt::format("limit {}, {} are enough", have, human_bytes(wanted)));
  }
  return warn(fmt::format("limit {}, wanted {}", have, human_bytes(wanted)),
              {"every byte that the NIC reads or writes is locked memory; root has no limit, "
               "another user gets one at the next login from:",
               {write_file("/etc/security/limits.d/90-memlock.conf", {"* - memlock unlimited"})}});
}

// ---- rdma-core ----------------------------------------------------------------------------------

Remedy newer_core(const host::Facts& facts) {
  Remedy remedy{
      "MANA's provider is in rdma-core 44 and later (package ibverbs-providers on Debian "
      "and Ubuntu, libibverbs elsewhere)",
      install_rdma_core(facts)};
  if (facts.rdma.rdma_core && *facts.rdma.rdma_core && (*facts.rdma.rdma_core)->major < 44) {
    remedy.why +=
        "; if the distribution has none that new, build rdma-core 50 or later from source "
        "with prefix /usr";
  }
  return remedy;
}

Finding core(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.rdma.rdma_core) return unknown(facts.rdma.rdma_core.error().message);
  const std::optional<Release>& version = *facts.rdma.rdma_core;
  if (!version) return fail("libibverbs.so.1 is not installed", newer_core(facts));
  const std::string name = fmt::format("rdma-core {}", version->major);
  if (version->major < 44) return fail(name + " is older than MANA (44)", newer_core(facts));
  if (!facts.rdma.mana_provider) return unknown(facts.rdma.mana_provider.error().message);
  if (!*facts.rdma.mana_provider) {
    return fail(name + ", but its MANA provider (libmana.so.1) is not installed",
                newer_core(facts));
  }
  return pass(name + " with libmana.so.1");
}

// ---- driver id and provider ---------------------------------------------------------------------

ProviderSeen provider_of(const host::Facts& facts, const std::string& device) {
  using Kind = ProviderSeen::Kind;
  if (!facts.rdma.providers) {
    return {Kind::not_known, "", facts.rdma.providers.error().message};
  }
  const auto& all = *facts.rdma.providers;
  const auto found = std::find_if(
      all.begin(), all.end(), [&device](const host::Provider& p) { return p.device == device; });
  if (found == all.end()) return {Kind::none, "", ""};
  if (found->library.empty()) return {Kind::not_known, "", found->error};
  return {Kind::chosen, provider_name(found->library), ""};
}

DriverIdInput input_of(const host::RdmaDevice& device, const host::Facts& facts) {
  DriverIdInput input;
  input.device = device.name;
  input.kernel = device.driver_id;
  // Without ib_uverbs there is no character device; with it, something else is wrong.
  input.character_device = !device.uverbs.empty() || !is_absent(facts, "ib_uverbs");
  input.error = device.error;
  if (facts.rdma.btf_mana) input.btf = *facts.rdma.btf_mana;
  input.provider = provider_of(facts, device.name);
  if (facts.rdma.rdma_core) input.rdma_core = *facts.rdma.rdma_core;
  return input;
}

std::vector<std::string> mend_clash(const host::Facts& facts) {
  if (family_of(facts) == Family::ubuntu) {
    return {"apt-get update", "apt-get install -y linux-azure"};
  }
  return {};
}

void add_verdict(const DriverIdVerdict& verdict, const host::Facts& facts, Tally& tally) {
  std::vector<std::string> commands;
  if (verdict.clash) {
    commands = mend_clash(facts);
  } else if (verdict.old_core) {
    commands = install_rdma_core(facts);
  }
  switch (verdict.status) {
    case Status::fail:
      return tally.fail(verdict.line, std::move(commands));
    case Status::warn:
      return tally.warn(verdict.line, std::move(commands));
    case Status::pass:
      return tally.ok(verdict.line, verdict.brief);
    case Status::skipped:
    case Status::unknown:
      return tally.unknown(verdict.line);
  }
}

std::string why_of(bool clash) {
  if (!clash) {
    return "libibverbs finds the provider by the kernel's number alone, and DPDK works with MANA's "
           "provider only; ib_uverbs must be loaded and rdma-core be 44 or later";
  }
  return "reboot into a kernel that says 20, or use the rdma-core that the distribution patched "
         "for "
         "this kernel, or swap the two numbers in rdma-core's "
         "kernel-headers/rdma/ib_user_ioctl_verbs.h and build it; 19 is MANA in Ubuntu's 5.15 "
         "backport and ERDMA since rdma-core 43, 20 is MANA since rdma-core 44 and Linux 6.2";
}

void add_numbers(const host::Facts& facts, const DriverIdInput& input, Finding& finding) {
  auto& evidence = finding.evidence;
  for (const std::uint32_t number : {19U, 20U}) {
    evidence.push_back(fmt::format("{} is {}", number, owner_of(number)));
  }
  if (input.kernel && *input.kernel != 19 && *input.kernel != 20) {
    const std::string owner = owner_of(*input.kernel);
    evidence.push_back(
        fmt::format("{} is {}", *input.kernel, owner.empty() ? "nobody known" : owner));
  }
  if (!facts.rdma.btf_mana) {
    evidence.push_back(facts.rdma.btf_mana.error().message);
  } else if (!*facts.rdma.btf_mana) {
    evidence.emplace_back("BTF of the running kernel has no RDMA_DRIVER_MANA");
  } else {
    evidence.push_back(
        fmt::format("BTF of the running kernel: RDMA_DRIVER_MANA = {}", **facts.rdma.btf_mana));
  }
}

Finding driver_id(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.rdma.devices) return unknown(facts.rdma.devices.error().message);
  const auto seen = mana_rdma_devices(facts);
  if (seen.empty()) return skipped("no RDMA device of MANA: mana_ib or ib_uverbs is not loaded");
  Tally tally;
  bool clash = false;
  for (const host::RdmaDevice* device : seen) {
    const DriverIdVerdict verdict = judge_driver_id(input_of(*device, facts));
    clash = clash || verdict.clash;
    add_verdict(verdict, facts, tally);
  }
  Finding finding = tally.finding("", why_of(clash));
  add_numbers(facts, input_of(*seen.front(), facts), finding);
  return finding;
}

Finding provider(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.rdma.devices) return unknown(facts.rdma.devices.error().message);
  Tally tally;
  for (const host::RdmaDevice* device : mana_rdma_devices(facts)) {
    const ProviderSeen seen = provider_of(facts, device->name);
    if (seen.kind == ProviderSeen::Kind::not_known) {
      tally.unknown(fmt::format("{}: {}", device->name, seen.reason));
    } else if (seen.kind == ProviderSeen::Kind::none) {
      tally.fail(fmt::format("{}: libibverbs has no provider for it", device->name),
                 {"IBV_SHOW_WARNINGS=1 ibv_devices"});
    } else if (seen.name != "mana") {
      tally.fail(fmt::format("{}: libibverbs chose {}, not mana", device->name, seen.name));
    } else {
      tally.ok(fmt::format("{}: libibverbs chose mana", device->name), device->name);
    }
  }
  return tally.finding("no RDMA device of MANA",
                       "a foreign provider cannot make what net_mana asks for: DPDK then prints "
                       "'ibv_alloc_parent_domain failed' and -12; rdma.driver-id and rdma.core say "
                       "why it was chosen");
}

constexpr std::array<std::string_view, 5> kDeviceCauses = {
    "kernel.mana-ib", "kernel.mana", "hardware.driver", "kernel.ib-uverbs", "hardware.mana"};
constexpr std::array<std::string_view, 3> kNodeCauses = {
    "kernel.ib-uverbs", "rdma.devices", "kernel.mana-ib"};
constexpr std::array<std::string_view, 2> kDriverIdCauses = {"kernel.ib-uverbs", "rdma.core"};
constexpr std::array<std::string_view, 3> kProviderCauses = {
    "rdma.driver-id", "rdma.core", "kernel.ib-uverbs"};

constexpr std::array kChecks = {
    Check{"rdma.devices",
          "every MANA function has its RDMA device",
          "A MANA function has no RDMA device",
          Needs::mana,
          devices,
          kDeviceCauses},
    Check{"rdma.nodes",
          "the RDMA devices can be opened",
          "An RDMA device cannot be opened",
          Needs::mana,
          nodes,
          kNodeCauses},
    Check{"rdma.rights",
          "raw packet queues are allowed",
          "Raw packet queues are not allowed",
          Needs::mana,
          rights},
    Check{"rdma.memlock",
          "enough memory may be locked",
          "Too little memory may be locked",
          Needs::mana,
          memlock},
    Check{"rdma.core",
          "rdma-core has a provider for MANA",
          "rdma-core has no provider for MANA",
          Needs::mana,
          core},
    Check{"rdma.driver-id",
          "kernel and rdma-core agree on MANA's driver id",
          "Kernel and rdma-core do not agree on MANA's driver id",
          Needs::mana,
          driver_id,
          kDriverIdCauses},
    Check{"rdma.provider",
          "libibverbs chose MANA's provider",
          "libibverbs did not choose MANA's provider",
          Needs::mana,
          provider,
          kProviderCauses},
};

}  // namespace

std::span<const Check> rdma_checks() {
  return kChecks;
}

}  // namespace manactl::diag
