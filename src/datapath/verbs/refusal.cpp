// SPDX-License-Identifier: MIT
#include "datapath/verbs/refusal.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

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
      "{}: the library that libibverbs chose for {} is not libmana ({}: EOPNOTSUPP); compare their "
      "driver ids: manactl check --only rdma",
      place.slot,
      place.device,
      call);
}

// What only libmana has, and what a foreign provider fails with first.
bool is_of_libmana(std::string_view call) {
  return call == "query_device_ex" || call == "alloc_parent_domain" || call.starts_with("manadv_");
}

struct Hint {
  std::string_view call;  // or how it begins
  int number;
  std::string_view text;
};

constexpr std::string_view kAsRoot =
    "run as root, or let this user read and write /dev/infiniband/uverbs*";
constexpr std::string_view kKernelSays =
    "the kernel's log may tell why, after: "
    "echo 'module mana_ib +p' >/sys/kernel/debug/dynamic_debug/control";

constexpr Hint kHints[] = {
    {"open_device", EACCES, kAsRoot},
    {"open_device", EPERM, kAsRoot},
    {"open_device", ENOENT, "/dev/infiniband has no node for it; run: modprobe ib_uverbs"},
    {"open_device", ENODEV, "it went away meanwhile; see: dmesg"},
    {"create_", ENOMEM, "there is none, or it may not be locked; see: ulimit -l"},
    {"reg_mr", ENOMEM, "there is none, or it may not be locked; see: ulimit -l"},
    {"create_", EOPNOTSUPP, "mana_ib of this kernel does not do that"},
    {"", EPROTO, "the adapter refused it; see: dmesg"},
    {"", ETIMEDOUT, "the adapter did not answer; see: dmesg"},
    {"", EINVAL, kKernelSays},
};

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
  if (number == EOPNOTSUPP && is_of_libmana(call)) {
    return {Errc::unsupported, number, foreign(place, call)};
  }
  auto error =
      fail_errno(number, fmt::format("{}: {} of {}", place.slot, call, place.device)).value();
  const auto* hint = std::ranges::find_if(
      kHints, [&](const Hint& one) { return one.number == number && call.starts_with(one.call); });
  if (hint != std::end(kHints)) error.message += fmt::format("; {}", hint->text);
  return error;
}

}  // namespace manactl::datapath::verbs
