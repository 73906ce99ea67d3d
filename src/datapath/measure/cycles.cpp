// SPDX-License-Identifier: MIT

#include "datapath/measure/cycles.h"

#include <thread>

namespace manactl::datapath {

// Reads both clocks several times and returns the fastest pair, which no interrupt has separated.
CycleRate::Instant CycleRate::read_both() {
  constexpr int kTries = 8;
  Instant best;
  auto min = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const auto before = read_cycles();
    const auto time = std::chrono::steady_clock::now();
    const auto duration = read_cycles() - before;
    if (duration >= min) continue;
    min = duration;
    best = {time, before};
  }
  return best;
}

double CycleRate::per_second() const {
  constexpr auto kEnough = std::chrono::milliseconds(20);
  std::this_thread::sleep_until(start_.time + kEnough);
  const auto now = read_both();
  const std::chrono::duration<double> seconds = now.time - start_.time;
  return static_cast<double>(now.cycles - start_.cycles) / seconds.count();
}

}  // namespace manactl::datapath
