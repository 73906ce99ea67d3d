// SPDX-License-Identifier: MIT
//
// Replaces calls of libc, libnl and libudev, so that tests see their arguments and make them fail.
// The linker redirects the calls in programs that link manactl_kernel_calls (option --wrap).

#pragma once

#include <dirent.h>
#include <linux/netlink.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <array>
#include <cerrno>
#include <functional>
#include <optional>

struct nl_sock;
struct udev;
struct udev_device;
struct udev_enumerate;

namespace manactl::test {

// While an object exists, its hooks replace the functions of the same name. At most one may exist
// at a time. The real function is called if the hook is not set or returns nothing.
struct KernelCalls {
  KernelCalls();
  ~KernelCalls();
  KernelCalls(const KernelCalls&) = delete;
  KernelCalls& operator=(const KernelCalls&) = delete;

  template <class Call>
  using Hook = std::function<Call>;
  using Int = std::optional<int>;

  Hook<Int(const char* path, int flags)> open;
  Hook<Int(int directory, const char* path, int flags)> openat;
  Hook<Int(int file, struct stat*)> fstat;
  Hook<Int(int file, mode_t)> fchmod;
  Hook<Int(int directory, const char* path, struct stat*, int flags)> fstatat;
  Hook<std::optional<DIR*>(int file)> fdopendir;
  Hook<std::optional<dirent*>(DIR*)> readdir;
  Hook<std::optional<off_t>(int file, off_t, int whence)> lseek;
  Hook<Int(int resource, rlimit*)> getrlimit;
  Hook<Int(utsname*)> uname;
  Hook<Int(pid_t, std::size_t bytes, void* mask)> sched_getaffinity;
  Hook<Int(int family, int type, int protocol)> socket;
  Hook<Int(int file, int level, int option, const void* value)> setsockopt;
  Hook<Int(int file, unsigned long request, void* argument)> ioctl;
  Hook<std::optional<long>(long number, const std::array<long, 6>& arguments)> syscall;
  Hook<Int(int option, const std::array<unsigned long, 4>& arguments)> prctl;
  Hook<std::optional<void*>(const char* name, int flags)> dlopen;

  Hook<std::optional<nl_sock*>()> nl_socket_alloc;
  Hook<Int(nl_sock*, int protocol)> nl_connect;
  Hook<Int(nl_sock*, const void* bytes, std::size_t size)> nl_sendto;
  Hook<Int(nl_sock*, sockaddr_nl* sender, unsigned char** bytes)> nl_recv;

  Hook<std::optional<udev*>()> udev_new;
  Hook<std::optional<udev_enumerate*>(udev*)> udev_enumerate_new;
  Hook<Int(udev_enumerate*, const char* subsystem)> udev_enumerate_add_match_subsystem;
  Hook<Int(udev_enumerate*, const char* name, const char* value)> udev_enumerate_add_match_sysattr;
  Hook<Int(udev_enumerate*)> udev_enumerate_scan_devices;
  Hook<std::optional<udev_device*>(udev*, const char* path)> udev_device_new_from_syspath;
};

// A hook that lets `calls` calls pass and then lets one fail with the errno `error`.
inline auto failing(int error, unsigned calls = 0) {
  return [=](auto&&... /*arguments*/) mutable -> std::optional<int> {
    if (calls-- != 0) return std::nullopt;
    errno = error;
    return -1;
  };
}

// A hook that returns a null pointer and sets errno.
inline auto null_with(int error) {
  return [=](auto&&... /*arguments*/) {
    errno = error;
    return nullptr;
  };
}

}  // namespace manactl::test
