// SPDX-License-Identifier: MIT

#include "os/kernel_calls.h"

namespace manactl::test {
namespace {

KernelCalls* current = nullptr;

// Calls the hook, or else the function `real`.
template <class Hook, class Real, class... Arguments>
auto hooked(Hook KernelCalls::* hook, const Real& real, Arguments... arguments)
    -> decltype(real()) {
  if (current != nullptr && current->*hook) {
    if (const auto result = (current->*hook)(arguments...)) return *result;
  }
  return real();
}

}  // namespace

KernelCalls::KernelCalls() {
  current = this;
}

KernelCalls::~KernelCalls() {
  current = nullptr;
}

}  // namespace manactl::test

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming):
// names of the linker
using manactl::test::hooked;
using manactl::test::KernelCalls;

extern "C" {
int __real_open(const char* path, int flags, mode_t mode);
int __wrap_open(const char* path, int flags, mode_t mode);
int __real___open_2(const char* path, int flags);
int __wrap___open_2(const char* path, int flags);
int __real_openat(int directory, const char* path, int flags, mode_t mode);
int __wrap_openat(int directory, const char* path, int flags, mode_t mode);
int __real___openat_2(int directory, const char* path, int flags);
int __wrap___openat_2(int directory, const char* path, int flags);
int __real_fstat(int file, struct stat* status);
int __wrap_fstat(int file, struct stat* status);
int __real_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode);
int __real_fstatat(int directory, const char* path, struct stat* status, int flags);
int __wrap_fstatat(int directory, const char* path, struct stat* status, int flags);
DIR* __real_fdopendir(int file);
DIR* __wrap_fdopendir(int file);
dirent* __real_readdir(DIR* entries);
dirent* __wrap_readdir(DIR* entries);
off_t __real_lseek(int file, off_t offset, int whence);
off_t __wrap_lseek(int file, off_t offset, int whence);
int __real_getrlimit(int resource, rlimit* limit);
int __wrap_getrlimit(int resource, rlimit* limit);
int __real_uname(utsname* name);
int __wrap_uname(utsname* name);
int __real_sched_getaffinity(pid_t process, std::size_t bytes, void* mask);
int __wrap_sched_getaffinity(pid_t process, std::size_t bytes, void* mask);
int __real_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol);
int __real_setsockopt(int file, int level, int option, const void* value, socklen_t size);
int __wrap_setsockopt(int file, int level, int option, const void* value, socklen_t size);
int __real_ioctl(int file, unsigned long request, void* argument);
int __wrap_ioctl(int file, unsigned long request, void* argument);
void* __real_dlopen(const char* name, int flags);
void* __wrap_dlopen(const char* name, int flags);
nl_sock* __real_nl_socket_alloc();
nl_sock* __wrap_nl_socket_alloc();
int __real_nl_connect(nl_sock* socket, int protocol);
int __wrap_nl_connect(nl_sock* socket, int protocol);
int __real_nl_sendto(nl_sock* socket, const void* bytes, std::size_t size);
int __wrap_nl_sendto(nl_sock* socket, const void* bytes, std::size_t size);
int __real_nl_recv(nl_sock* socket,
                   sockaddr_nl* sender,
                   unsigned char** bytes,
                   ucred** credentials);
int __wrap_nl_recv(nl_sock* socket,
                   sockaddr_nl* sender,
                   unsigned char** bytes,
                   ucred** credentials);
udev* __real_udev_new();
udev* __wrap_udev_new();
udev_enumerate* __real_udev_enumerate_new(udev* context);
udev_enumerate* __wrap_udev_enumerate_new(udev* context);
int __real_udev_enumerate_add_match_subsystem(udev_enumerate* search, const char* subsystem);
int __wrap_udev_enumerate_add_match_subsystem(udev_enumerate* search, const char* subsystem);
int __real_udev_enumerate_add_match_sysattr(udev_enumerate* search,
                                            const char* name,
                                            const char* value);
int __wrap_udev_enumerate_add_match_sysattr(udev_enumerate* search,
                                            const char* name,
                                            const char* value);
int __real_udev_enumerate_scan_devices(udev_enumerate* search);
int __wrap_udev_enumerate_scan_devices(udev_enumerate* search);
udev_device* __real_udev_device_new_from_syspath(udev* context, const char* path);
udev_device* __wrap_udev_device_new_from_syspath(udev* context, const char* path);
long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
int __real_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);

int __wrap_open(const char* path, int flags, mode_t mode) {
  return hooked(&KernelCalls::open, [&] { return __real_open(path, flags, mode); }, path, flags);
}

int __wrap___open_2(const char* path, int flags) {
  return hooked(&KernelCalls::open, [&] { return __real___open_2(path, flags); }, path, flags);
}

int __wrap_openat(int directory, const char* path, int flags, mode_t mode) {
  return hooked(
      &KernelCalls::openat,
      [&] { return __real_openat(directory, path, flags, mode); },
      directory,
      path,
      flags);
}

int __wrap___openat_2(int directory, const char* path, int flags) {
  return hooked(
      &KernelCalls::openat,
      [&] { return __real___openat_2(directory, path, flags); },
      directory,
      path,
      flags);
}

int __wrap_fstat(int file, struct stat* status) {
  return hooked(&KernelCalls::fstat, [&] { return __real_fstat(file, status); }, file, status);
}

int __wrap_fchmod(int file, mode_t mode) {
  return hooked(&KernelCalls::fchmod, [&] { return __real_fchmod(file, mode); }, file, mode);
}

int __wrap_fstatat(int directory, const char* path, struct stat* status, int flags) {
  return hooked(
      &KernelCalls::fstatat,
      [&] { return __real_fstatat(directory, path, status, flags); },
      directory,
      path,
      status,
      flags);
}

DIR* __wrap_fdopendir(int file) {
  return hooked(&KernelCalls::fdopendir, [&] { return __real_fdopendir(file); }, file);
}

dirent* __wrap_readdir(DIR* entries) {
  return hooked(&KernelCalls::readdir, [&] { return __real_readdir(entries); }, entries);
}

off_t __wrap_lseek(int file, off_t offset, int whence) {
  return hooked(
      &KernelCalls::lseek,
      [&] { return __real_lseek(file, offset, whence); },
      file,
      offset,
      whence);
}

int __wrap_getrlimit(int resource, rlimit* limit) {
  return hooked(
      &KernelCalls::getrlimit, [&] { return __real_getrlimit(resource, limit); }, resource, limit);
}

int __wrap_uname(utsname* name) {
  return hooked(&KernelCalls::uname, [&] { return __real_uname(name); }, name);
}

int __wrap_sched_getaffinity(pid_t process, std::size_t bytes, void* mask) {
  return hooked(
      &KernelCalls::sched_getaffinity,
      [&] { return __real_sched_getaffinity(process, bytes, mask); },
      process,
      bytes,
      mask);
}

int __wrap_socket(int family, int type, int protocol) {
  return hooked(
      &KernelCalls::socket,
      [&] { return __real_socket(family, type, protocol); },
      family,
      type,
      protocol);
}

int __wrap_setsockopt(int file, int level, int option, const void* value, socklen_t size) {
  return hooked(
      &KernelCalls::setsockopt,
      [&] { return __real_setsockopt(file, level, option, value, size); },
      file,
      level,
      option,
      value);
}

int __wrap_ioctl(int file, unsigned long request, void* argument) {
  return hooked(
      &KernelCalls::ioctl,
      [&] { return __real_ioctl(file, request, argument); },
      file,
      request,
      argument);
}

void* __wrap_dlopen(const char* name, int flags) {
  return hooked(&KernelCalls::dlopen, [&] { return __real_dlopen(name, flags); }, name, flags);
}

nl_sock* __wrap_nl_socket_alloc() {
  return hooked(&KernelCalls::nl_socket_alloc, [&] { return __real_nl_socket_alloc(); });
}

int __wrap_nl_connect(nl_sock* socket, int protocol) {
  return hooked(
      &KernelCalls::nl_connect,
      [&] { return __real_nl_connect(socket, protocol); },
      socket,
      protocol);
}

int __wrap_nl_sendto(nl_sock* socket, const void* bytes, std::size_t size) {
  return hooked(
      &KernelCalls::nl_sendto,
      [&] { return __real_nl_sendto(socket, bytes, size); },
      socket,
      bytes,
      size);
}

int __wrap_nl_recv(nl_sock* socket,
                   sockaddr_nl* sender,
                   unsigned char** bytes,
                   ucred** credentials) {
  return hooked(
      &KernelCalls::nl_recv,
      [&] { return __real_nl_recv(socket, sender, bytes, credentials); },
      socket,
      sender,
      bytes);
}

udev* __wrap_udev_new() {
  return hooked(&KernelCalls::udev_new, [&] { return __real_udev_new(); });
}

udev_enumerate* __wrap_udev_enumerate_new(udev* context) {
  return hooked(
      &KernelCalls::udev_enumerate_new,
      [&] { return __real_udev_enumerate_new(context); },
      context);
}

int __wrap_udev_enumerate_add_match_subsystem(udev_enumerate* search, const char* subsystem) {
  return hooked(
      &KernelCalls::udev_enumerate_add_match_subsystem,
      [&] { return __real_udev_enumerate_add_match_subsystem(search, subsystem); },
      search,
      subsystem);
}

int __wrap_udev_enumerate_add_match_sysattr(udev_enumerate* search,
                                            const char* name,
                                            const char* value) {
  return hooked(
      &KernelCalls::udev_enumerate_add_match_sysattr,
      [&] { return __real_udev_enumerate_add_match_sysattr(search, name, value); },
      search,
      name,
      value);
}

int __wrap_udev_enumerate_scan_devices(udev_enumerate* search) {
  return hooked(
      &KernelCalls::udev_enumerate_scan_devices,
      [&] { return __real_udev_enumerate_scan_devices(search); },
      search);
}

udev_device* __wrap_udev_device_new_from_syspath(udev* context, const char* path) {
  return hooked(
      &KernelCalls::udev_device_new_from_syspath,
      [&] { return __real_udev_device_new_from_syspath(context, path); },
      context,
      path);
}

// Missing arguments of these variadic functions have any value, as in libc.
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
  return hooked(
      &KernelCalls::syscall,
      [&] { return __real_syscall(number, a, b, c, d, e, f); },
      number,
      std::array{a, b, c, d, e, f});
}

int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  return hooked(
      &KernelCalls::prctl,
      [&] { return __real_prctl(option, a, b, c, d); },
      option,
      std::array{a, b, c, d});
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
