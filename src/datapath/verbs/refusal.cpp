// SPDX-License-Identifier: MIT
#include "datapath/verbs/refusal.h"

#include <cerrno>

#include "base/text.h"

namespace manactl::datapath::verbs {

namespace {

// Who has the port, and what to do about it. A port belongs to the kernel while its interface is
// up, else to the first domain with queues on it.
std::string holder(const PortPlace& place) {
  const auto name = printable(place.interface, 40);
  if (place.up.value_or(false)) {
    return fmt::format("the kernel has it while '{}' is up; run: ip link set {} down", name, name);
  }
  if (place.up) {
    return fmt::format(
        "'{}' is down, so another program has queues on it; see which: fuser -v /dev/infiniband/*",
        name);
  }
  return "an interface that is up or another program has it; run: ip link set IFACE down";
}

std::string port_in_use(const PortPlace& place, int number) {
  return fmt::format("port {} of {} is in use ({}): {}",
                     place.port,
                     place.device,
                     number == EBUSY ? "EBUSY" : "ENODEV, as kernels before 7.2 say it",
                     holder(place));
}

std::string foreign(const PortPlace& place, std::string_view call) {
  return fmt::format(
      "{}: the library that libibverbs chose for {} is not libmana ({}: EOPNOTSUPP); find out why: "
      "manactl doctor",
      place.slot,
      place.device,
      call);
}

}  // namespace

Error refused(const PortPlace& place, std::string_view call, int number) {
  const bool makes_qp = call == "create_qp" || call == "create_qp_ex";
  if (makes_qp && (number == EBUSY || number == ENODEV)) {
    return {Errc::busy, number, port_in_use(place, number)};
  }
  if (makes_qp && number == EPERM) {
    return {Errc::denied,
            number,
            fmt::format("{}: raw packets of {} need CAP_NET_RAW (EPERM): run as root",
                        place.slot,
                        place.device)};
  }
  if (number == EOPNOTSUPP) return {Errc::unsupported, number, foreign(place, call)};
  auto error = fail_errno(number, fmt::format("{}: {} of {}", place.slot, call, place.device));
  return std::move(error).value();
}

}  // namespace manactl::datapath::verbs
