// SPDX-License-Identifier: MIT
//
// Foreign code, such as a provider of libibverbs, in a child process of its own: whatever it does
// there, this process survives it, and the kernel takes back what it held.

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace manactl {

struct ChildAnswer {
  enum class End { done, crashed, silent };

  std::string text;  // all that it wrote
  End end = End::done;
  std::string signal = {};  // "SIGSEGV", when it crashed
  bool gone = true;         // false: the kernel holds it in a call, and will end it afterwards
};

// Calls `work` in a child, which writes to `pipe` and ends when `work` returns; no destructors of
// this process' objects run there, and its streams lead nowhere. Nothing of its environment chooses
// providers. It is killed when it has written nothing for as long as `patience`.
Result<ChildAnswer> ask_child(const std::function<void(int pipe)>& work,
                              std::chrono::milliseconds patience);

// For `work`: writes all of it, or ends the child when nobody reads.
void tell(int pipe, std::string_view text);

}  // namespace manactl
