// SPDX-License-Identifier: MIT
//
// Only in the portable program (cmake/portable.cmake): functions of glibc that its static libraries
// import and glibc 2.28 lacks. libstdc++ was compiled with the headers of glibc 2.36.

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

// The functions of libm with the versions that programs of before glibc 2.29 use. They set errno on
// errors, which nobody reads, and have the same results.
#ifdef __aarch64__
#define OLD_VERSION "GLIBC_2.17"
#else
#define OLD_VERSION "GLIBC_2.2.5"
#endif
extern "C" {
double old_exp(double x);
double old_log(double x);
double old_log2(double x);
double old_pow(double x, double y);
}
__asm__(".symver old_exp,exp@" OLD_VERSION);
__asm__(".symver old_log,log@" OLD_VERSION);
__asm__(".symver old_log2,log2@" OLD_VERSION);
__asm__(".symver old_pow,pow@" OLD_VERSION);

namespace {

constexpr long kSecond = 1'000'000'000;  // in nanoseconds

timespec now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time;
}

// `time` of `clock` as a time of CLOCK_REALTIME.
timespec real_time(const timespec& time, clockid_t clock) {
  const auto here = now(clock);
  auto result = now(CLOCK_REALTIME);
  result.tv_sec += time.tv_sec - here.tv_sec;
  result.tv_nsec += time.tv_nsec - here.tv_nsec;
  if (result.tv_nsec < 0) {
    result.tv_nsec += kSecond;
    --result.tv_sec;
  } else if (result.tv_nsec >= kSecond) {
    result.tv_nsec -= kSecond;
    ++result.tv_sec;
  }
  return result;
}

}  // namespace

extern "C" {

// libstdc++ reads it to omit atomic operations; 0 is right for any number of threads.
char __libc_single_threaded = 0;

// Since glibc 2.30.
pid_t gettid() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

// Since glibc 2.30. As in libstdc++ before that: a step of the clock changes the time to wait.
int pthread_cond_clockwait(pthread_cond_t* condition,
                           pthread_mutex_t* mutex,
                           clockid_t clock,
                           const timespec* time) {
  const auto until = real_time(*time, clock);
  return pthread_cond_timedwait(condition, mutex, &until);
}

double __wrap_exp(double x) {
  return old_exp(x);
}

double __wrap_log(double x) {
  return old_log(x);
}

double __wrap_log2(double x) {
  return old_log2(x);
}

double __wrap_pow(double x, double y) {
  return old_pow(x, y);
}

}  // extern "C"
