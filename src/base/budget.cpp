// SPDX-License-Identifier: MIT

#include "base/budget.h"

#include <sys/resource.h>

#include <algorithm>

#include "base/text.h"

namespace manactl {
namespace {

bool is_limited = false;

}  // namespace

bool is_memory_limited() {
  return is_limited;
}

void limit_memory() {
  is_limited = true;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map terabytes
  // RLIMIT_DATA does not count read-only mappings, such as the code of libraries (setrlimit(2)).
  constexpr rlim_t kCode = 32U << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>({limit.rlim_cur, limit.rlim_max, kMaxMemory - kCode});
  // Without the limit, the budgets still hold.
  (void)setrlimit(RLIMIT_DATA, &limit);
#endif
}

Result<> Budget::charge(std::size_t bytes) {
  is_exceeded_ = is_exceeded_ || bytes > left_;
  if (is_exceeded_) {
    return fail(
        Errc::invalid,
        fmt::format("{} needs more memory than the limit of {}", owner_, human_bytes(limit_)));
  }
  left_ -= bytes;
  return {};
}

}  // namespace manactl
