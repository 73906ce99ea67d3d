// SPDX-License-Identifier: MIT
//
// Faults to inject into responses, one request at a time. The text form of a fault is one of
//
//     CODE=refuse:STATUS     not executed, response with STATUS
//     CODE=status:STATUS     executed, response with STATUS
//     CODE=ignore            not executed, no response
//     CODE=no-response       executed, no response
//     CODE=short             executed, response without a body
//
// followed by ",after=N" (the first N requests are handled normally) and ",times=N" (N faults).
// STATUS is hexadecimal. CODE is the number or name of a request ("0x20003", "CONFIG_VPORT_TX"),
// "establish" or "destroy" (the shared-memory channel, where STATUS is at most 0xff), or "any"
// (every request).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::device {

enum class FaultKind : std::uint8_t { refuse, status, ignore, no_response, truncate };

// Values of Fault::code that are not the number of a message.
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

  void clear() { armed_.clear(); }

  // Counts this message and returns its fault, if any.
  std::optional<Fault> find(std::uint32_t code);

 private:
  struct Armed {
    Fault fault;
    std::uint64_t messages = 0;
  };

  std::vector<Armed> armed_;
};

}  // namespace manactl::device
