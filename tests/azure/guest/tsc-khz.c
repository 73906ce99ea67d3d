// SPDX-License-Identifier: MIT
//
// tsc-khz: prints the frequency (kHz) of the host's time stamp counter, which the guest reads too.
// Without it, the guest kernel measures the frequency against an emulated timer. On a busy host the
// result may be a third of the real frequency; the guest's clock then runs three times too fast.

#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
  double seconds;
  unsigned long long ticks;
};

// Returns the fastest of 100 readings, which was interrupted the least.
static struct moment now(void) {
  struct moment best = {0, 0};
  unsigned long long shortest = ~0ULL;
  for (int i = 0; i < 100; ++i) {
    struct timespec time;
    const unsigned long long before = __rdtsc();
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    const unsigned long long spent = __rdtsc() - before;
    if (spent >= shortest) continue;
    shortest = spent;
    best.seconds = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
    best.ticks = before + spent / 2;
  }
  return best;
}

int main(void) {
  const struct timespec pause = {0, 100000000};
  const struct moment start = now();
  nanosleep(&pause, NULL);
  const struct moment end = now();
  printf("%.0f\n", (double)(end.ticks - start.ticks) / (end.seconds - start.seconds) / 1e3);
  return 0;
}
