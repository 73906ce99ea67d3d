// SPDX-License-Identifier: MIT
//
// The running kernel's type information (Documentation/bpf/btf.rst), read for one question: the
// value of an enumerator. The whole of it is 5 MB, so types are walked, not built.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace manactl::os {

// The value of enumerator `name`, or nothing when no enum has it. `base` is the BTF of vmlinux when
// `btf` is that of a module, else empty. Errc::invalid for anything that is not well formed.
Result<std::optional<std::int64_t>> enumerator_value(std::string_view btf,
                                                     std::string_view base,
                                                     std::string_view name);

}  // namespace manactl::os
