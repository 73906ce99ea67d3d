// SPDX-License-Identifier: MIT

#include "cli/bench/virtual_device.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/trusted_directory.h"

namespace manactl::cli {
namespace {

// The values of an argument, which may be given more than once.
std::vector<std::string> values_of(const std::vector<std::string_view>& arguments,
                                   std::string_view key) {
  std::vector<std::string> values;
  for (const auto argument : arguments) {
    const auto equals = std::min(argument.find('='), argument.size());
    if (argument.substr(0, equals) != key) continue;
    values.emplace_back(argument.substr(std::min(equals + 1, argument.size())));
  }
  return values;
}

// A device name of EAL may begin with the bus and one separator: "vdev:net_memif0".
std::string_view without_bus(std::string_view device) {
  constexpr std::string_view kBus = "vdev";
  if (!device.starts_with(kBus)) return device;
  return device.substr(std::min(kBus.size() + 1, device.size()));
}

bool is_memif(const std::string& device) {
  return without_bus(device).starts_with("net_memif");
}

// A virtual device that sends or receives through an interface of the kernel.
struct InterfaceDriver {
  std::array<std::string_view, 2> prefixes;        // names of the driver in EAL
  std::array<std::string_view, 3> interface_keys;  // arguments that name an interface
  bool takes_received_packets;  // so that the kernel does not receive them any more
};

constexpr InterfaceDriver kInterfaceDrivers[] = {
    {{"net_af_packet", "eth_af_packet"}, {"iface"}, false},
    {{"net_pcap", "eth_pcap"}, {"iface", "tx_iface"}, false},
    {{"net_af_xdp", "eth_af_xdp"}, {"iface"}, true},
    {{"net_tap", "eth_tap"}, {"remote"}, true},
};

// Null if the device does not use an interface of the kernel.
const InterfaceDriver* interface_driver(const std::string& device) {
  const auto name = without_bus(device);
  const auto names_it = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const auto* found = std::ranges::find_if(kInterfaceDrivers, [&](const InterfaceDriver& driver) {
    return std::ranges::any_of(driver.prefixes, names_it);
  });
  return found == std::end(kInterfaceDrivers) ? nullptr : found;
}

std::vector<std::string> interfaces_of(const std::string& device, const InterfaceDriver& driver) {
  std::vector<std::string> interfaces;
  for (const auto key : driver.interface_keys) {
    if (!key.empty())
      std::ranges::move(values_of(split(device, ','), key), std::back_inserter(interfaces));
  }
  return interfaces;
}

// The value of each argument that names a socket; empty if the socket is not a file.
std::vector<std::string> socket_files(const std::string& device) {
  const auto arguments = split(device, ',');
  // Without this argument, DPDK uses an abstract socket, which has no permissions.
  const auto abstract = values_of(arguments, "socket-abstract");
  const bool is_file =
      !abstract.empty() && std::ranges::all_of(abstract, [](auto& value) { return value == "no"; });
  return is_file ? values_of(arguments, "socket") : std::vector<std::string>();
}

// Fails unless the directory belongs to the effective user, and no other user can enter it.
Result<> check_private(const std::string& directory) {
  const auto opened = TrustedDirectory::open(directory, Trust::exclusive);
  if (!opened && opened.error().code != Errc::denied) {
    return tl::unexpected<Error>(opened.error());
  }

  struct stat status{};

  if (opened && fstat(opened->get(), &status) != 0) {
    return fail_errno(errno, fmt::format("cannot examine '{}'", printable(directory)));
  }
  const bool is_private = (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  if (opened && is_private && status.st_uid == geteuid()) return {};
  return fail(Errc::denied,
              fmt::format("other users can enter '{}': use a directory of yours with mode 700",
                          printable(directory)));
}

bool has_default_route(const os::Links& links, const std::string& name) {
  const auto interfaces = links.links().value_or(std::vector<os::Link>{});
  const auto link = std::ranges::find(interfaces, name, &os::Link::name);
  if (link == interfaces.end()) return false;
  const auto routes = links.routes().value_or(std::vector<os::Route>{});
  return std::ranges::any_of(routes, [&](const os::Route& route) {
    return route.unicast && route.destination == "default" &&
           std::ranges::find(route.outputs, link->index) != route.outputs.end();
  });
}

}  // namespace

Result<> refuse_shared_memif(const std::string& device) {
  if (!is_memif(device)) return {};
  const auto sockets = socket_files(device);
  if (sockets.size() != 1) {
    return fail(
        Errc::denied,
        fmt::format("every user could connect to '{}' and change the memory of this process: "
                    "add socket-abstract=no,socket=FILE, with a FILE in a directory that only "
                    "you can enter",
                    printable(device)));
  }
  const auto file = split_file_path(sockets.front());
  if (!file) return tl::unexpected<Error>(file.error());
  const auto checked = check_private(file->directory);
  if (checked) return {};
  return because(checked.error(), fmt::format("'{}'", printable(device)));
}

Result<> refuse_busy_interface(const std::string& device,
                               datapath::Mode mode,
                               const host::Facts& facts,
                               const os::Links& links) {
  const auto* driver = interface_driver(device);
  if (driver == nullptr) return {};
  const bool takes_packets = driver->takes_received_packets;
  if (!takes_packets && !datapath::row_of(mode).sends) return {};
  for (const auto& name : interfaces_of(device, *driver)) {
    const auto* nic = facts.find_nic(name);
    std::string carried = nic == nullptr ? "" : join(nic->carries, ", ");
    if (carried.empty() && has_default_route(links, name)) carried = "default route";
    if (carried.empty()) continue;
    return fail(Errc::denied,
                fmt::format("'{}' carries the {}, which this measurement could interrupt: use "
                            "another interface{}",
                            printable(name),
                            carried,
                            takes_packets ? "" : ", or --mode rx"));
  }
  return {};
}

std::vector<std::string> memif_sockets(const std::vector<std::string>& devices) {
  std::vector<std::string> sockets;
  for (const auto& device : devices) {
    // A client uses the socket of another process.
    const auto roles = values_of(split(device, ','), "role");
    const bool is_server = !roles.empty() && (roles.back() == "server" || roles.back() == "master");
    if (is_memif(device) && is_server)
      std::ranges::move(socket_files(device), std::back_inserter(sockets));
  }
  return sockets;
}

}  // namespace manactl::cli
