// SPDX-License-Identifier: MIT
#include "datapath/dpdk/eal_log.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace manactl::datapath {

namespace {

struct KnownFailure {
  std::string_view text;  // a part of the log line
  Errc code;
  std::string_view reason;
};

// If several texts match, the first one applies.
constexpr std::array kKnown = {
    KnownFailure{"Not enough memory available", Errc::unsupported, "too few free hugepages"},
    KnownFailure{"Cannot get hugepage information", Errc::unsupported, "no free hugepages"},
    KnownFailure{"Cannot create runtime directory",
                 Errc::denied,
                 "no permission to write to the runtime directory"},
    KnownFailure{"Could not open AF_PACKET socket",
                 Errc::denied,
                 "no permission to open a packet socket (needs CAP_NET_RAW)"},
};

// Lines without a cause, and harmless lines: bench exchanges no messages with a second process and
// needs no runtime directory.
constexpr std::array<std::string_view, 10> kUninformative = {
    "Cannot probe devices",
    "probe failed",
    "failed to initialize",
    "register mp action",
    "MP INIT PRIMARY",
    "B-tree initialized table",
    "hugepages reported",
    "Unable to initialize",
    "Error creating '/dev/null/",
    "No DPDK runtime directory created",
};

bool is_uninformative(std::string_view line) {
  return std::any_of(kUninformative.begin(), kUninformative.end(), [&](std::string_view text) {
    return line.find(text) != std::string_view::npos;
  });
}

// Removes the prefix of "vdev_probe(): failed to ..." and "EAL: failed to ...".
std::string_view without_prefix(std::string_view line) {
  const auto colon = line.find(": ");
  if (colon != std::string_view::npos && line.find(' ') == colon + 1) line.remove_prefix(colon + 2);
  line = trim(line);
  while (line.ends_with('.')) line.remove_suffix(1);
  return line;
}

}  // namespace

Error reason_of(std::string_view log) {
  for (const auto& known : kKnown) {
    if (log.find(known.text) != std::string_view::npos) {
      return {known.code, 0, std::string(known.reason)};
    }
  }
  // Drivers log the cause first and its consequences later.
  std::string_view cause;
  for (const auto line : split(log, '\n')) {
    if (cause.empty() && !is_uninformative(line)) cause = without_prefix(trim(line));
  }
  if (cause.empty()) return {Errc::invalid, 0, "the driver rejects its options"};
  const bool denied = log.find("Operation not permitted") != std::string_view::npos ||
                      log.find("Permission denied") != std::string_view::npos;
  return {denied ? Errc::denied : Errc::invalid, 0, printable(cause)};
}

}  // namespace manactl::datapath
