// SPDX-License-Identifier: MIT

#include "setup/nic_interface.h"

#include "base/text.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

bool is_device(const os::Files& files, const std::string& name, const NicInterface& interface) {
  const auto path = "sys/class/net/" + name;
  const auto device = os::link_name(files, path + "/device");
  if (!device) return false;
  if (!interface.channel.empty()) return *device == interface.channel;
  if (*device != interface.pci) return false;
  return interface.port.empty() ||
         trim(files.read(path + "/dev_port").value_or("")) == interface.port;
}

}  // namespace

Values NicInterface::parameters() const {
  Values values{{"interface", name}};
  if (!channel.empty()) values["channel"] = channel;
  if (!pci.empty()) values["pci"] = pci;
  if (!port.empty()) values["port"] = port;
  return values;
}

NicInterface interface_of(const host::Netdev& netdev) {
  return {netdev.name,
          netdev.vmbus ? netdev.vmbus->str() : "",
          netdev.pci ? netdev.pci->str() : "",
          netdev.dev_port ? std::to_string(*netdev.dev_port) : ""};
}

NicInterface interface_of(const Values& parameters) {
  return {value_at(parameters, "interface"),
          value_at(parameters, "channel"),
          value_at(parameters, "pci"),
          value_at(parameters, "port")};
}

NicInterface vf_of(const Values& parameters) {
  return {
      value_at(parameters, "vf"), "", value_at(parameters, "pci"), value_at(parameters, "port")};
}

Result<os::Link> find_link(const os::System& system, const NicInterface& interface) {
  if (interface.channel.empty() && interface.pci.empty()) {
    return find_link(system, interface.name);
  }
  // udev may rename the interface between the reads of its name and of sysfs.
  constexpr int kAttempts = 2;
  for (int i = 0; i < kAttempts; ++i) {
    auto links = system.links.links();
    if (!links) return tl::unexpected<Error>(links.error());
    for (auto& link : *links) {
      // VLANs, bonds and bridges have no device of their own.
      if (!link.kind.empty() || !is_device(system.files, link.name, interface)) continue;
      return std::move(link);
    }
  }
  return fail(Errc::not_found,
              fmt::format("interface '{}' does not exist", printable(interface.name)));
}

Result<> set_and_verify_mtu(const os::System& system, const NicInterface& interface, unsigned mtu) {
  auto link = find_link(system, interface);
  auto set =
      link ? system.links.set_mtu(link->index, mtu) : Result<>(tl::unexpected<Error>(link.error()));
  if (!set) return set;
  link = find_link(system, interface);
  if (!link) return tl::unexpected<Error>(link.error());
  if (link->mtu == mtu) return {};
  return fail(Errc::io,
              fmt::format("the kernel accepted the MTU {} for '{}', but it is still {}",
                          mtu,
                          printable(link->name),
                          link->mtu));
}

}  // namespace manactl::setup
