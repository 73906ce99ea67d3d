// SPDX-License-Identifier: MIT

#include "wire/codec.h"

#include <fmt/format.h>

namespace manactl::wire {

std::string describe(const Refusal& refusal) {
  const auto [record, field, value, rule, limit] = refusal;
  switch (rule) {
    case Rule::length:
      return fmt::format("{}: {} is {} bytes, {} needed", record, field, value, limit);
    case Rule::zero:
      return fmt::format("{}: {} must be zero, is {:#x}", record, field, value);
    case Rule::range:
      return fmt::format("{}: {} is {:#x}, at most {:#x} is allowed", record, field, value, limit);
    case Rule::least:
      return fmt::format("{}: {} is {:#x}, at least {:#x} is needed", record, field, value, limit);
    case Rule::member:
      return fmt::format("{}: {} {:#x} is not known", record, field, value);
  }
  return fmt::format("{}: {} is {:#x}", record, field, value);
}

Error error_of(const Refusal& refusal) {
  return {Errc::invalid, 0, describe(refusal)};
}

}  // namespace manactl::wire
