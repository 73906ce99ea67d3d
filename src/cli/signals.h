// SPDX-License-Identifier: MIT
//
// Turns SIGINT, SIGTERM and SIGHUP into a stop request, and handles the end of the parent process.

#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <stop_token>
#include <thread>

namespace manactl::cli {

// While this object exists, the kernel sends `signal` to this process when the thread that started
// the process ends (PR_SET_PDEATHSIG). Under nohup, this object has no effect.
class ParentDeathSignal {
 public:
  explicit ParentDeathSignal(int signal);
  ParentDeathSignal(const ParentDeathSignal&) = delete;
  ParentDeathSignal& operator=(const ParentDeathSignal&) = delete;
  ~ParentDeathSignal();

  // Returns false if this object has no effect.
  bool renew() const;

 private:
  int signal_;
  int before_ = 0;
  bool set_ = false;
};

// Construct this object before the engine starts its threads, which inherit the blocked signals.
// Before stop_gracefully(), a signal ends the process at once with exit code 128 + its number,
// because the start of DPDK cannot be interrupted. After it, the first signal requests a stop and
// the second ends the process. A signal that follows the first one within `repetition` counts as
// the same: timeout(1) signals its child and then its process group. The end of the parent process
// counts as SIGTERM, except under nohup.
class StopOnSignal {
 public:
  static constexpr std::chrono::milliseconds kRepetition{500};

  explicit StopOnSignal(std::chrono::nanoseconds repetition = kRepetition);
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();

  // Call it after setresuid(2), which clears PR_SET_PDEATHSIG.
  void follow_parent();

  void stop_gracefully() { is_graceful_ = true; }

  std::stop_token token() const { return source_.get_token(); }

  int number() const { return number_; }  // number of the first signal, or 0

 private:
  void wait();

  std::chrono::nanoseconds repetition_;
  std::chrono::steady_clock::time_point first_;  // when the first signal arrived
  ParentDeathSignal end_with_parent_;
  pid_t parent_;
  sigset_t handled_{};
  sigset_t before_{};
  std::stop_source source_;
  std::atomic<int> number_{0};
  std::atomic<bool> is_graceful_{false};
  std::thread waiter_;
};

}  // namespace manactl::cli
