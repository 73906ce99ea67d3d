// SPDX-License-Identifier: MIT

#include "setup/clock.h"

#include <ctime>

namespace manactl::setup {
namespace {

class BootClock final : public Clock {
 public:
  std::chrono::milliseconds now() const override {
    timespec time{};
    // Not CLOCK_MONOTONIC: a machine that slept has kept its administrator waiting, too.
    clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }

  void pause(std::chrono::milliseconds time) override {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    const timespec wanted{seconds.count(), std::chrono::nanoseconds(time - seconds).count()};
    nanosleep(&wanted, nullptr);
  }
};

}  // namespace

std::unique_ptr<Clock> open_clock() {
  return std::make_unique<BootClock>();
}

}  // namespace manactl::setup
