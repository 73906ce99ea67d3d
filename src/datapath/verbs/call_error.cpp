// SPDX-License-Identifier: MIT
#include "datapath/verbs/call_error.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/text.h"
#include "datapath/verbs/library.h"

namespace manactl::datapath::verbs {

namespace {

// Returns who uses the port, and the command that helps. The kernel uses a port while the port's
// interface is up; otherwise the first protection domain with a QP on the port uses it.
std::string port_user(const PortInfo& port) {
  const auto name = printable(port.interface);
  if (is_simulated()) {
    return "--fault caused this error, or another queue of this program uses the port";
  }
  if (port.up.value_or(false)) {
    return fmt::format("the kernel uses it while '{}' is up; run: ip link set {} down", name, name);
  }
  if (port.up) {
    return fmt::format(
        "'{}' is down, so another program uses the port, not the kernel; to find the program, run: "
        "fuser -v /dev/infiniband/*",
        name);
  }
  return "the kernel or another program uses it; run: ip link set IFACE down";
}

std::string port_in_use(const PortInfo& port, int number) {
  return fmt::format("port {} of {} is in use ({}): {}",
                     port.port,
                     port.device,
                     number == EBUSY ? "EBUSY" : "ENODEV on kernels before 7.2",
                     port_user(port));
}

std::string foreign_provider(const PortInfo& port, std::string_view call) {
  return fmt::format(
      "{}: the library that libibverbs chose for {} is not libmana ({}: EOPNOTSUPP); compare the "
      "driver ids of kernel and libibverbs: manactl check --only rdma",
      port.slot,
      port.device,
      call);
}

// True for calls that fail with EOPNOTSUPP if the provider is not libmana.
bool needs_libmana(std::string_view call) {
  return call == "query_device_ex" || call == "alloc_parent_domain" || call.starts_with("manadv_");
}

struct Hint {
  std::string_view call;  // the start of the call's name
  int number;
  std::string_view text;
};

constexpr std::string_view kAsRoot =
    "run as root, or let this user read and write /dev/infiniband/uverbs*";
constexpr std::string_view kNoMemory =
    "memory is exhausted, or the limit of locked memory is too low; see: ulimit -l";
constexpr std::string_view kDynamicDebug =
    "to log the reason in dmesg, run: "
    "echo 'module mana_ib +p' >/sys/kernel/debug/dynamic_debug/control";

constexpr Hint kHints[] = {
    {"open_device", EACCES, kAsRoot},
    {"open_device", EPERM, kAsRoot},
    {"open_device", ENOENT, "/dev/infiniband has no node for the device; run: modprobe ib_uverbs"},
    {"open_device", ENODEV, "the device was removed; see: dmesg"},
    {"create_", ENOMEM, kNoMemory},
    {"reg_mr", ENOMEM, kNoMemory},
    {"create_", EOPNOTSUPP, "mana_ib of this kernel does not support it"},
    {"", EPROTO, "the device rejected the request; see: dmesg"},
    {"", ETIMEDOUT, "the device did not respond; see: dmesg"},
    {"", EINVAL, kDynamicDebug},
};

}  // namespace

Error call_error(const PortInfo& port, std::string_view call, int number) {
  const bool creates_qp = call == "create_qp" || call == "create_qp_ex";
  if (creates_qp && (number == EBUSY || number == ENODEV)) {
    return {Errc::busy, number, port_in_use(port, number)};
  }
  if (creates_qp && number == EPERM) {
    return {Errc::denied,
            number,
            fmt::format("{}: raw packets of {} require CAP_NET_RAW (EPERM); run as root",
                        port.slot,
                        port.device)};
  }
  if (number == EOPNOTSUPP && needs_libmana(call)) {
    return {Errc::unsupported, number, foreign_provider(port, call)};
  }
  auto error =
      fail_errno(number, fmt::format("{}: {} of {}", port.slot, call, port.device)).value();
  const auto* hint = std::ranges::find_if(
      kHints, [&](const Hint& row) { return row.number == number && call.starts_with(row.call); });
  if (hint != std::end(kHints)) error.message += fmt::format("; {}", hint->text);
  return error;
}

}  // namespace manactl::datapath::verbs
