// SPDX-License-Identifier: MIT
//
// Looks up the value of an enumerator in the kernel's type information (BTF,
// Documentation/bpf/btf.rst). The untrusted data (about 5 MB) is searched in place.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace manactl::os {

// The value of the enumerator `name`; empty if no enum contains it. `base` is the BTF of vmlinux if
// `btf` is that of a module, else empty. Errc::invalid if the data is malformed.
Result<std::optional<std::int64_t>> enumerator_value(std::string_view btf,
                                                     std::string_view base,
                                                     std::string_view name);

// BTF that contains one enum with one enumerator, or no type if `value` is empty. `base_strings` is
// the size of the string section of its base: 1 if the base is such BTF without a type.
std::string single_enumerator(std::string_view name,
                              std::optional<std::int64_t> value,
                              std::uint32_t base_strings);

}  // namespace manactl::os
