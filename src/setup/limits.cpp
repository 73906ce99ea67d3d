// SPDX-License-Identifier: MIT

#include "setup/limits.h"

namespace manactl::setup {

void raise_limit(int resource, rlim_t value) {
  const auto kind = static_cast<__rlimit_resource>(resource);
  rlimit limit{value, value};
  if (setrlimit(kind, &limit) == 0 || getrlimit(kind, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(kind, &limit);
}

}  // namespace manactl::setup
