// SPDX-License-Identifier: MIT
#include "datapath/eal_log.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace manactl::datapath {

namespace {

struct Known {
  std::string_view words;  // in the log
  Errc code;
  std::string_view reason;
};

// The first that is found wins.
constexpr std::array kKnown = {
    Known{"Not enough memory available", Errc::unsupported, "too few free hugepages"},
    Known{"Cannot get hugepage information", Errc::unsupported, "no free hugepages"},
    Known{"Cannot create runtime directory",
          Errc::denied,
          "no right to write to the runtime directory"},
    Known{"Could not open AF_PACKET socket",
          Errc::denied,
          "no right to open a packet socket (CAP_NET_RAW)"},
};

// Lines that say that something failed but not why, or that complain about nothing: without a
// second process there is nobody to exchange messages with, and no directory is wanted.
constexpr std::array<std::string_view, 8> kIdle = {
    "Cannot probe devices",
    "probe failed",
    "failed to initialize",
    "register mp action",
    "hugepages reported",
    "Unable to initialize",
    "Error creating '/dev/null/",
    "No DPDK runtime directory created",
};

bool is_idle(std::string_view line) {
  return std::any_of(kIdle.begin(), kIdle.end(), [&](std::string_view words) {
    return line.find(words) != std::string_view::npos;
  });
}

// "vdev_probe(): failed to ..." and "EAL: failed to ..." without the speaker.
std::string_view spoken(std::string_view line) {
  const auto colon = line.find(": ");
  if (colon != std::string_view::npos && line.find(' ') == colon + 1) line.remove_prefix(colon + 2);
  line = trim(line);
  while (line.ends_with('.')) line.remove_suffix(1);
  return line;
}

}  // namespace

Error reason_of(std::string_view log) {
  for (const auto& known : kKnown) {
    if (log.find(known.words) != std::string_view::npos) {
      return {known.code, 0, std::string(known.reason)};
    }
  }
  // A driver says first what went wrong and then what that means; the cause is worth more.
  std::string_view cause;
  for (const auto line : split(log, '\n')) {
    if (cause.empty() && !is_idle(line)) cause = spoken(trim(line));
  }
  if (cause.empty()) return {Errc::invalid, 0, "the driver refuses its options"};
  const bool denied = log.find("Operation not permitted") != std::string_view::npos ||
                      log.find("Permission denied") != std::string_view::npos;
  return {denied ? Errc::denied : Errc::invalid, 0, printable(cause, 200)};
}

}  // namespace manactl::datapath
