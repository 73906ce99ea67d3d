// SPDX-License-Identifier: MIT
#include "datapath/eal_log.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"

namespace manactl::datapath {

namespace {

struct Known {
  std::string_view words;  // in EAL's log
  Errc code;
  std::string_view reason;
};

// The first that is found wins.
constexpr std::array kKnown = {
    Known{"Not enough memory available", Errc::unsupported, "too few free hugepages"},
    Known{"Cannot get hugepage information", Errc::unsupported, "no free hugepages"},
    Known{"Cannot init memory", Errc::unsupported, "no memory of the kind that was asked for"},
    Known{"Cannot create runtime directory",
          Errc::denied,
          "no right to write to the runtime directory"},
    Known{"Cannot set affinity", Errc::invalid, "a CPU of the plan cannot be used"},
};

// "EAL: failed to ..." and "vdev_probe(): failed to ..." without the speaker.
std::string_view spoken(std::string_view line) {
  const auto colon = line.find(": ");
  const auto blank = line.find(' ');
  if (colon != std::string_view::npos && blank == colon + 1) line.remove_prefix(colon + 2);
  return trim(line);
}

}  // namespace

Error reason_of(std::string_view log) {
  for (const auto& known : kKnown) {
    if (log.find(known.words) != std::string_view::npos) {
      return {known.code, 0, std::string(known.reason)};
    }
  }
  std::vector<std::string_view> lines;
  for (const auto line : split(log, '\n')) {
    const auto text = trim(line);
    if (!text.empty() && text.find("Cannot probe devices") == std::string_view::npos) {
      lines.push_back(text);
    }
  }
  if (lines.empty()) return {Errc::io, 0, "it gave no reason"};
  // A driver says why, then the bus says whom: both are worth a sentence.
  auto message = printable(spoken(lines.back()), 200);
  if (lines.size() > 1)
    message += fmt::format(" ({})", printable(spoken(lines[lines.size() - 2]), 200));
  const auto denied = log.find("Operation not permitted") != std::string_view::npos ||
                      log.find("Permission denied") != std::string_view::npos;
  return {denied ? Errc::denied : Errc::invalid, 0, std::move(message)};
}

}  // namespace manactl::datapath
