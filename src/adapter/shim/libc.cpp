// SPDX-License-Identifier: MIT
//
// Interposed functions of libc. fopen() and opendir() redirect sysfs paths of the RDMA device to
// the sysfs tree. sigaction() keeps the doorbell trap in front of the program's SIGSEGV handler.
// munmap() first stops the queues in the memory. ioctl() knows the interfaces of the ports. Also
// the function that runs when the program exits.

#include <dirent.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "adapter/shim/doorbell_trap.h"
#include "adapter/shim/interface.h"
#include "adapter/shim/simulator.h"

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

// libc declares the real names; the asm labels are the symbols that programs call.
extern "C" {

FILE* sim_fopen(const char* path, const char* mode) __asm__("fopen");
FILE* sim_fopen64(const char* path, const char* mode) __asm__("fopen64");
DIR* sim_opendir(const char* path) __asm__("opendir");
int sim_sigaction(int signal,
                  const struct sigaction* action,
                  struct sigaction* before) __asm__("sigaction");
int sim_munmap(void* at, std::size_t bytes) __asm__("munmap");
int sim_ioctl(int file, unsigned long request, void* argument) __asm__("ioctl");

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
  if (signal == SIGSEGV && manactl::adapter::is_trap_installed()) {
    return manactl::adapter::replace_handler(action, before);
  }
  return function(signal, action, before);
}

int sim_munmap(void* at, std::size_t bytes) {
  manactl::adapter::Simulator::handle_unmap(at, bytes);
  return static_cast<int>(syscall(SYS_munmap, at, bytes));
}

// The third argument of ioctl() is optional: the system call ignores it where there is none.
int sim_ioctl(int file, unsigned long request, void* argument) {
  if (const auto result = manactl::adapter::handle_interface_request(request, argument)) {
    return *result;
  }
  return static_cast<int>(syscall(SYS_ioctl, file, request, argument));
}

}  // extern "C"

namespace {

// Runs when the program returns from main() or calls exit().
[[gnu::destructor]] void handle_exit() {
  manactl::adapter::Simulator::handle_exit();
}

}  // namespace
