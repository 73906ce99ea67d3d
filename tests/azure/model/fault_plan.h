// SPDX-License-Identifier: MIT
//
// Faults to inject into the answers, one message at a time. Written as
//
//     CODE=refuse:STATUS     not done, answered with STATUS
//     CODE=status:STATUS     done, but answered with STATUS
//     CODE=silent            not done, never answered
//     CODE=late              done, but never answered
//     CODE=short             done, answered with the header alone
//
// followed by ",after=N" (the first N are answered properly) and ",times=N" (then proper again).
// CODE is a message's number or name ("0x20003", "CONFIG_VPORT_TX"), "establish" or "destroy" (the
// shared-memory channel, where STATUS is at most 0xff), or "any" (every message).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::azure {

enum class FaultKind : std::uint8_t { refuse, status, silent, late, truncate };

// What a fault aims at, beside the numbers of messages.
inline constexpr std::uint32_t kFaultEstablish = 0xfffffff0;
inline constexpr std::uint32_t kFaultDestroy = 0xfffffff1;
inline constexpr std::uint32_t kFaultAny = 0xffffffff;

struct Fault {
  std::uint32_t code = 0;
  FaultKind kind = FaultKind::refuse;
  std::uint32_t status = 0;
  std::uint64_t after = 0;
  std::uint64_t times = UINT64_MAX;

  static Result<Fault> parse(std::string_view text);
  bool operator==(const Fault&) const = default;
};

class FaultPlan {
 public:
  void add(const Fault& fault) { armed_.push_back({fault, 0}); }

  // Faults read from a file at run time stand in for all that came that way before; those that
  // stay the same keep their count.
  Result<> replace_late(std::string_view text);

  // The fault for this message, which counts as having come by.
  std::optional<Fault> strike(std::uint32_t code);

 private:
  struct Armed {
    Fault fault;
    std::uint64_t seen = 0;
  };

  static std::optional<Fault> strike(std::vector<Armed>& armed, std::uint32_t code);

  std::vector<Armed> armed_, late_;
  std::string late_text_;
};

}  // namespace manactl::azure
