// SPDX-License-Identifier: MIT
//
// The program opens files of an RDMA device by the real path, and logs it; they are read from the
// device tree instead. And the trap keeps its place in front of the program's SIGSEGV handler,
// and no queue is worked on whose memory is given back.

#include <dirent.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "adapter/shim/simulator.h"
#include "adapter/shim/trap.h"

namespace {

constexpr std::string_view kSys = "/sys/";
constexpr std::string_view kDevices = "/sys/class/infiniband/mana_";

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

std::string redirected(const char* path) {
  const std::string_view text = path;
  if (!text.starts_with(kDevices)) return std::string(text);
  const auto& root = manactl::adapter::Simulator::get().config().root;
  return root.empty() ? std::string(text) : root + "/" + std::string(text.substr(kSys.size()));
}

}  // namespace

// Names of our own for what libc has declared already; the labels are what programs call.
extern "C" {

FILE* sim_fopen(const char* path, const char* mode) __asm__("fopen");
FILE* sim_fopen64(const char* path, const char* mode) __asm__("fopen64");
DIR* sim_opendir(const char* path) __asm__("opendir");
int sim_sigaction(int signal,
                  const struct sigaction* action,
                  struct sigaction* before) __asm__("sigaction");
int sim_munmap(void* at, std::size_t bytes) __asm__("munmap");

FILE* sim_fopen(const char* path, const char* mode) {
  static const auto function = real<FILE*(const char*, const char*)>("fopen");
  return function(redirected(path).c_str(), mode);
}

FILE* sim_fopen64(const char* path, const char* mode) {
  static const auto function = real<FILE*(const char*, const char*)>("fopen64");
  return function(redirected(path).c_str(), mode);
}

DIR* sim_opendir(const char* path) {
  static const auto function = real<DIR*(const char*)>("opendir");
  return function(redirected(path).c_str());
}

int sim_sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  static const auto function =
      real<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
  if (signal == SIGSEGV && manactl::adapter::owns_faults()) {
    return manactl::adapter::replace_handler(action, before);
  }
  return function(signal, action, before);
}

// Nothing of the adapter is in the memory when it goes.
int sim_munmap(void* at, std::size_t bytes) {
  manactl::adapter::Simulator::lose(at, bytes);
  return static_cast<int>(syscall(SYS_munmap, at, bytes));
}

}  // extern "C"
