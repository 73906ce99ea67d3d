// SPDX-License-Identifier: MIT

#include "adapter/shim/interface.h"

#include <net/if.h>
#include <sys/ioctl.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "adapter/shim/simulator.h"
#include "base/text.h"

namespace manactl::adapter {
namespace {

constexpr int kDefaultMtu = 1500, kMinMtu = 68, kMaxMtu = 9000;

struct Mtu {
  std::atomic<int> bytes = kDefaultMtu;
};

// The port behind "sim0", "sim1" and so on.
std::optional<std::size_t> port_of(const ifreq& request) {
  constexpr std::string_view kPrefix = "sim";
  const std::string_view name(request.ifr_name, strnlen(request.ifr_name, IFNAMSIZ));
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const auto ports = Simulator::get().config().ports;
  const auto port = parse_unsigned(name.substr(kPrefix.size()), ports - 1);
  return port ? std::optional<std::size_t>(*port) : std::nullopt;
}

}  // namespace

std::optional<int> handle_interface_request(unsigned long request, void* argument) {
  static std::array<Mtu, kMaxPorts> mtus;
  if (request != SIOCGIFMTU && request != SIOCSIFMTU) return std::nullopt;
  auto& interface = *static_cast<ifreq*>(argument);
  const auto port = port_of(interface);
  if (!port) return std::nullopt;
  auto& mtu = mtus.at(*port).bytes;
  if (request == SIOCGIFMTU) {
    interface.ifr_mtu = mtu;
    return 0;
  }
  if (interface.ifr_mtu < kMinMtu || interface.ifr_mtu > kMaxMtu) {
    errno = EINVAL;
    return -1;
  }
  mtu = interface.ifr_mtu;
  return 0;
}

}  // namespace manactl::adapter
