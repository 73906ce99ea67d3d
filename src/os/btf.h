// SPDX-License-Identifier: MIT
//
// Looks up the value of an enumerator in the kernel's type information (BTF,
// Documentation/bpf/btf.rst). The untrusted data (about 5 MB) is searched in place.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace manactl::os {

// The value of the enumerator `name`; empty if no enum contains it. `base` is the BTF of vmlinux if
// `btf` is that of a module, else empty. Errc::invalid if the data is malformed.
Result<std::optional<std::int64_t>> enumerator_value(std::string_view btf,
                                                     std::string_view base,
                                                     std::string_view name);

}  // namespace manactl::os
