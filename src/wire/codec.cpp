// SPDX-License-Identifier: MIT

#include "wire/codec.h"

#include <fmt/format.h>

namespace manactl::wire {

std::string describe(const Refusal& refusal) {
  const auto [record, field, value, rule, limit] = refusal;
  switch (rule) {
    case Rule::length:
      return fmt::format("{}: {} must be {} bytes, not {}", record, field, limit, value);
    case Rule::zero:
      return fmt::format("{}: {} must be 0, not {:#x}", record, field, value);
    case Rule::max:
      return fmt::format("{}: {} must be at most {:#x}, not {:#x}", record, field, limit, value);
    case Rule::min:
      return fmt::format("{}: {} must be at least {:#x}, not {:#x}", record, field, limit, value);
    case Rule::member:
      return fmt::format("{}: {} has the unknown value {:#x}", record, field, value);
  }
  return fmt::format("{}: {} is {:#x}", record, field, value);
}

Error error_of(const Refusal& refusal) {
  return {Errc::invalid, 0, describe(refusal)};
}

}  // namespace manactl::wire
