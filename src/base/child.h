// SPDX-License-Identifier: MIT
//
// Runs foreign code, such as a libibverbs provider, in a child process of its own. A crash or a
// hang there does not affect this process, and the kernel releases everything the child held.

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace manactl {

struct ChildResult {
  enum class End { done, crashed, timed_out };

  std::string text;  // everything that the child wrote to the pipe
  End end = End::done;
  std::string signal = {};  // if the child crashed: the signal, such as "SIGSEGV"
  bool reaped = true;       // false: the child is in a system call and exits when the call returns
};

// Calls `work` in a child process, which exits when `work` returns. `work` writes its result to
// `pipe`. The child runs no destructors of this process's objects, its standard streams are
// /dev/null, and environment variables that select RDMA providers are removed. The child is killed
// if it writes nothing for `timeout`. Fails with Errc::io if it writes more than 64 KiB.
Result<ChildResult> run_in_child(const std::function<void(int pipe)>& work,
                                 std::chrono::milliseconds timeout);

// Writes all of `text`. Call it only from `work`: it exits the child if the parent no longer reads.
void write_to_pipe(int pipe, std::string_view text);

}  // namespace manactl
