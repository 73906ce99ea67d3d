// SPDX-License-Identifier: MIT

#include <algorithm>

#include "host/gather.h"
#include "host/versions.h"
#include "os/btf.h"

namespace manactl::host {
namespace {

constexpr const char* kClass = "sys/class/infiniband";

bool has_entries(const os::Files& files, const char* directory) {
  const auto entries = files.list(directory);
  return entries && !entries->empty();
}

std::optional<PciAddress> address_of(const os::Files& files, const std::string& device) {
  const auto parent = os::link_name(files, fmt::format("{}/{}/device", kClass, device));
  if (!parent) return std::nullopt;
  const auto address = PciAddress::parse(*parent);
  if (!address) return std::nullopt;  // a software device, such as rxe
  return *address;
}

bool is_mana(const RdmaDevice& device, const Result<std::vector<PciFunction>>& functions) {
  if (is_mana_rdma_name(device.name)) return true;
  return device.pci && functions &&
         std::any_of(functions->begin(), functions->end(), [&](const auto& function) {
           return function.is_mana() && function.address == *device.pci;
         });
}

Result<std::vector<RdmaDevice>> gather_devices(const os::System& system,
                                               const Result<std::vector<PciFunction>>& functions) {
  // Opening RDMA netlink may load ib_core, so first check in sysfs that there are RDMA devices.
  if (!has_entries(system.files, kClass)) return std::vector<RdmaDevice>{};
  const auto entries = system.rdma.devices();
  if (!entries) return tl::unexpected<Error>(entries.error());
  std::vector<RdmaDevice> devices;
  for (const auto& entry : *entries) {
    RdmaDevice device;
    device.name = entry.name;
    device.pci = address_of(system.files, entry.name);
    device.ports = static_cast<unsigned>(entry.ports.size());
    if (entry.chardev) {
      device.uverbs = entry.chardev->name;
      device.abi = entry.chardev->abi;
      device.driver_id = entry.chardev->driver_id;
      if (!device.driver_id) device.error = "the kernel driver does not report a driver id";
    } else {
      device.error = entry.chardev.error().message;
    }
    device.mana = is_mana(device, functions);
    devices.push_back(std::move(device));
  }
  return devices;
}

Result<std::vector<UverbsNode>> gather_nodes(const os::Files& files) {
  const auto entries = files.list("dev/infiniband");
  if (!entries) {
    if (entries.error().code == Errc::not_found) return std::vector<UverbsNode>{};
    return tl::unexpected<Error>(entries.error());
  }
  std::vector<UverbsNode> nodes;
  for (const auto& entry : *entries) {
    if (!entry.starts_with("uverbs")) continue;
    const std::string path = "dev/infiniband/" + entry;
    const auto node = files.node(path);
    if (!node) continue;  // the node has disappeared
    nodes.push_back({path, node->mode, node->uid, node->gid, node->readable && node->writable});
  }
  return nodes;
}

// The value of RDMA_DRIVER_MANA. The enum is in the BTF of vmlinux or, if InfiniBand is built as
// modules, of one of the modules.
Result<std::optional<std::int64_t>> btf_mana(const os::Files& files) {
  constexpr std::size_t kMaxBytes = 32U << 20;
  constexpr std::string_view kName = "RDMA_DRIVER_MANA";
  const auto base = files.read("sys/kernel/btf/vmlinux", kMaxBytes);
  if (!base) return because(base.error(), "cannot read the BTF of the kernel");
  auto value = os::enumerator_value(*base, {}, kName);
  if (!value || *value) return value;
  for (const char* module : {"ib_core", "ib_uverbs", "mana_ib"}) {
    const auto split = files.read(fmt::format("sys/kernel/btf/{}", module), kMaxBytes);
    if (!split) continue;
    value = os::enumerator_value(*split, *base, kName);
    if (!value || *value) return value;
  }
  return std::nullopt;
}

Result<std::vector<Provider>> gather_providers(const os::System& system) {
  if (!has_entries(system.files, "sys/class/infiniband_verbs")) return std::vector<Provider>{};
  const auto choices = system.verbs.providers();
  if (!choices) return tl::unexpected<Error>(choices.error());
  std::vector<Provider> providers;
  for (const auto& choice : *choices) {
    Provider provider{choice.device, "", ""};
    if (choice.library) {
      provider.library = *choice.library;
    } else {
      provider.error = choice.library.error().message;
    }
    providers.push_back(std::move(provider));
  }
  return providers;
}

}  // namespace

bool is_mana_rdma_name(std::string_view name) {
  return name.starts_with("mana_") || name.starts_with("manae_");
}

Rdma gather_rdma(const os::System& system,
                 const Result<std::vector<PciFunction>>& functions,
                 const std::vector<std::string>& library_directories) {
  Rdma rdma;
  rdma.devices = gather_devices(system, functions);
  rdma.nodes = gather_nodes(system.files);
  if (has_mana_function(functions) || (rdma.devices && !rdma.devices->empty())) {
    rdma.btf_mana = btf_mana(system.files);
    rdma.libraries = system.verbs.load_libraries();
  } else {
    rdma.btf_mana = fail(Errc::not_found, "not read: there is no MANA function or RDMA device");
  }
  rdma.providers = gather_providers(system);
  rdma.rdma_core = rdma_core_release(system.files, library_directories);
  rdma.mana_provider = has_mana_provider(system.files, library_directories);
  return rdma;
}

}  // namespace manactl::host
