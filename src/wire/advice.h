// SPDX-License-Identifier: MIT
//
// The meaning of hardware codes and the recommended action, for `manactl decode --explain`.

#pragma once

#include <cstdint>
#include <string_view>

namespace manactl::wire {

// The set of codes to which a number belongs.
enum class CodeSpace : std::uint8_t {
  none,
  cqe_type,
  vendor_error,
  event,
  status,         // status of a response on the hardware channel
  shared_memory,  // status of the shared-memory channel
};

struct Advice {
  std::string_view meaning;
  std::string_view action;  // what the user should do; empty: nothing
};

// The code space of the field named `field` in the record named `record`.
CodeSpace code_space(std::string_view record, std::string_view field);

// Unknown codes get advice as well; only CodeSpace::none has an empty meaning.
Advice advice_for(CodeSpace space, std::uint64_t code);

}  // namespace manactl::wire
