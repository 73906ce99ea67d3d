// SPDX-License-Identifier: MIT

#include "host/gather.h"

#include <algorithm>

#include "base/quotes.h"
#include "base/text.h"
#include "host/driver_modules.h"
#include "host/management.h"
#include "host/move.h"
#include "host/numa.h"
#include "host/versions.h"

namespace manactl::host {
namespace {

Result<Platform> gather_platform(const os::Files& files) {
  // Azure sets this tag on every VM; cloud-init's DataSourceAzure also checks it.
  constexpr std::string_view kAzureTag = "7783-7084-3265-9085-8269-3286-77";
  const std::string path = "sys/class/dmi/id/chassis_asset_tag";
  Platform platform;
  platform.hyperv = exists(files, "sys/bus/vmbus");
  const auto tag = files.read(path);
  if (tag) {
    platform.azure = trim(*tag) == kAzureTag;
    platform.evidence = fmt::format("{} is '{}'", path, printable(trim(*tag)));
  } else if (tag.error().code == Errc::not_found) {
    platform.evidence = fmt::format("{} does not exist", path);
  } else {
    return tl::unexpected<Error>(tag.error());
  }
  return platform;
}

// The value of `key` ("ID=") in os-release(5), with or without quotes: ID=ubuntu, ID="ol".
std::string os_release_value(const os::Files& files, std::string_view key) {
  const auto text = files.read("etc/os-release");
  if (!text) return {};
  for (const auto line : split(*text, '\n')) {
    if (!line.starts_with(key)) continue;
    return printable(unquoted(trim(line.substr(key.size()))));
  }
  return {};
}

// Returns 6.1.192-3 for "Linux version 6.1.0-57-amd64 (...) #1 SMP Debian 6.1.192-3 (2026-11-20)".
std::string debian_version(const os::Files& files) {
  const auto text = files.read("proc/version");
  const auto parts = text ? words(*text) : std::vector<std::string_view>();
  const auto name = std::ranges::find(parts, "Debian");
  const bool has_version = name != parts.end() && std::next(name) != parts.end();
  return has_version ? printable(*std::next(name)) : std::string();
}

Result<Kernel> gather_kernel(const os::System& system) {
  const auto identity = system.process.kernel();
  if (!identity) return tl::unexpected<Error>(identity.error());
  return Kernel{identity->release,
                identity->machine,
                os_release_value(system.files, "ID="),
                os_release_value(system.files, "VERSION_ID="),
                identity->page_bytes,
                debian_version(system.files)};
}

Result<Limits> gather_limits(const os::Process& process) {
  const auto privileges = process.privileges();
  if (!privileges) return tl::unexpected<Error>(privileges.error());
  return Limits{privileges->uid,
                privileges->net_admin,
                privileges->net_raw,
                privileges->ipc_lock,
                privileges->memlock_soft,
                privileges->memlock_hard};
}

std::vector<Module> gather_modules(const os::Modules& modules) {
  std::vector<Module> result;
  for (const auto& row : kDriverModules) {
    const std::string name(row.name);
    auto state = modules.state(name);
    if (state) {
      result.push_back({name, state->presence, std::move(state->evidence)});
    } else {
      result.push_back({name, tl::unexpected<Error>(state.error()), ""});
    }
  }
  return result;
}

Result<PathCounters> gather_counters(const os::Ethtool& ethtool, const Netdev& synthetic) {
  const auto name = InterfaceName::parse(synthetic.name);
  if (!name) return tl::unexpected<Error>(name.error());
  const auto counters = ethtool.counters(*name);
  if (!counters) return tl::unexpected<Error>(counters.error());
  PathCounters path{0, 0, synthetic.rx_packets, synthetic.tx_packets};
  bool has_vf_counters = false;
  for (const auto& [counter, value] : *counters) {
    if (counter == "vf_rx_packets") path.vf_rx = value;
    if (counter == "vf_tx_packets") path.vf_tx = value;
    has_vf_counters = has_vf_counters || counter == "vf_rx_packets";
  }
  if (!has_vf_counters) {
    return fail(Errc::not_found, fmt::format("'{}' has no counters of VF packets", synthetic.name));
  }
  return path;
}

std::vector<std::string> addresses_of(int index,
                                      const Result<std::vector<os::Address>>& addresses) {
  std::vector<std::string> result;
  if (!addresses) return result;
  for (const auto& address : *addresses) {
    if (address.index == index) {
      result.push_back(fmt::format("{}/{}", address.text, address.prefix_length));
    }
  }
  return result;
}

Result<std::vector<Nic>> gather_complete_nics(const os::System& system,
                                              const Result<std::vector<os::Link>>& links,
                                              SshSearch ssh_search,
                                              Result<>& carries_complete) {
  if (!links) return tl::unexpected<Error>(links.error());
  auto nics = gather_nics(system, *links);
  if (!nics || nics->empty()) return nics;
  const auto addresses = system.links.addresses();
  carries_complete = add_carried_traffic(system, *links, addresses, ssh_search, *nics);
  const NetworkManagers managers(system.files);
  for (auto& nic : *nics) {
    if (nic.synthetic) {
      nic.synthetic->addresses = addresses_of(nic.synthetic->index, addresses);
      nic.counters = gather_counters(system.ethtool, *nic.synthetic);
    }
    if (nic.vf) {
      nic.vf->addresses = addresses_of(nic.vf->index, addresses);
      nic.management = managers.management(*nic.vf);
    }
  }
  return nics;
}

// Returns the channels of hv_netvsc that no interface of this network namespace has.
std::vector<VmbusId> channels_elsewhere(const os::Devices& devices,
                                        const Result<std::vector<Nic>>& nics) {
  std::vector<VmbusId> channels;
  if (!nics) return channels;
  for (const auto& channel : devices.vmbus_network().value_or(std::vector<os::VmbusDevice>{})) {
    const bool is_here = std::ranges::find(*nics, channel.id, &Nic::vmbus) != nics->end();
    if (channel.driver == kSyntheticDriver && !is_here) channels.push_back(channel.id);
  }
  return channels;
}

std::vector<std::string> names_of(const Result<std::vector<os::Link>>& links) {
  std::vector<std::string> names;
  if (!links) return names;
  for (const auto& link : *links) {
    names.push_back(link.name);
    names.insert(names.end(), link.alternative_names.begin(), link.alternative_names.end());
  }
  return names;
}

// Whether sysfs shows what kind of device the function is.
bool has_ids(const os::Files& files, const PciAddress& address) {
  const auto is_readable = [&](const char* attribute) {
    constexpr std::size_t kMaxAttribute = 4096;
    const auto path = fmt::format("sys/bus/pci/devices/{}/{}", address.str(), attribute);
    return files.read(path, kMaxAttribute).has_value();
  };
  return is_readable("vendor") && is_readable("device") && is_readable("class");
}

// Fails if the function of a MANA VF was not listed because its ids could not be read.
Result<std::vector<PciFunction>> with_all_vfs(Result<std::vector<PciFunction>> functions,
                                              const Result<std::vector<Nic>>& nics,
                                              const os::Files& files) {
  if (!functions || !nics) return functions;
  for (const auto& nic : *nics) {
    if (!nic.has_mana_vf() || !nic.vf->pci) continue;
    const auto listed = std::ranges::find(*functions, *nic.vf->pci, &PciFunction::address);
    if (listed != functions->end() || has_ids(files, *nic.vf->pci)) continue;
    return fail(Errc::invalid,
                fmt::format("cannot read the ids of {}, the PCI function of '{}'",
                            nic.vf->pci->str(),
                            printable(nic.vf->name)));
  }
  return functions;
}

}  // namespace

Facts gather(const os::System& system, SshSearch ssh_search, MoveForecast forecast) {
  Facts facts;
  facts.kernel = gather_kernel(system);
  facts.platform = gather_platform(system.files);
  facts.functions = gather_functions(system);
  facts.devices_note = system.devices.fallback_reason();
  const auto links = system.links.links();
  facts.interfaces = names_of(links);
  facts.nics = gather_complete_nics(system, links, ssh_search, facts.carries_complete);
  facts.functions = with_all_vfs(std::move(facts.functions), facts.nics, system.files);
  facts.channels_elsewhere = channels_elsewhere(system.devices, facts.nics);
  facts.modules = gather_modules(system.modules);
  const auto libraries =
      library_directories(system.files, facts.kernel ? facts.kernel->machine : "x86_64");
  facts.rdma = gather_rdma(system, facts.functions, libraries);
  facts.limits = gather_limits(system.process);
  facts.cpus = system.process.affinity();
  facts.dpdk = installed_dpdk(system.files, libraries);
  facts.memory = gather_memory(system.files);
  const bool may_move = facts.is_on_azure() && facts.functions && !facts.has_mana();
  if (may_move && forecast == MoveForecast::include) {
    facts.move = gather_move(system.files, facts);
  }
  return facts;
}

}  // namespace manactl::host
