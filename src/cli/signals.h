// SPDX-License-Identifier: MIT
//
// SIGINT, SIGTERM and SIGHUP as a request to stop. Made before the engine starts its threads, which
// inherit the blocked signals. Until there is something to finish, and when one came already, a
// signal ends the process at once with 128 + its number: starting DPDK cannot be interrupted.
// The end of the process that started this one counts as SIGTERM, but not under nohup.

#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace manactl::cli {

// While it lives, the kernel sends this process a signal when its parent ends; not under nohup,
// where a program is meant to go on.
class EndWithParent {
 public:
  explicit EndWithParent(int signal);
  EndWithParent(const EndWithParent&) = delete;
  EndWithParent& operator=(const EndWithParent&) = delete;
  ~EndWithParent();

 private:
  int before_ = 0;
  bool set_ = false;
};

class StopOnSignal {
 public:
  StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();

  // From now on the first signal asks to stop.
  void finish_when_asked() { finishes_ = true; }

  std::stop_token token() const { return source_.get_token(); }

  int number() const { return number_; }  // of the signal that came, 0 when none did

 private:
  void wait();

  EndWithParent end_with_parent_;
  pid_t parent_;
  sigset_t watched_{};
  sigset_t before_{};
  std::stop_source source_;
  std::atomic<int> number_{0};
  std::atomic<bool> finishes_{false};
  std::thread waiter_;
};

}  // namespace manactl::cli
