// SPDX-License-Identifier: MIT

#include "setup/clock.h"

#include <ctime>

namespace manactl::setup {
namespace {

class BootClock final : public Clock {
 public:
  std::chrono::milliseconds now() const override {
    timespec time{};
    // CLOCK_MONOTONIC stops during suspend, but confirmation timeouts must not stop.
    clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }

  void pause(std::chrono::milliseconds time) override {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    const timespec duration{seconds.count(), std::chrono::nanoseconds(time - seconds).count()};
    nanosleep(&duration, nullptr);
  }
};

class CountingClock final : public Clock {
 public:
  std::chrono::milliseconds now() const override { return now_; }

  void pause(std::chrono::milliseconds time) override { now_ += time; }

 private:
  std::chrono::milliseconds now_{0};
};

}  // namespace

std::unique_ptr<Clock> make_boot_clock() {
  return std::make_unique<BootClock>();
}

std::unique_ptr<Clock> make_counting_clock() {
  return std::make_unique<CountingClock>();
}

}  // namespace manactl::setup
