// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "adapter/link/capture.h"
#include "base/input_file.h"
#include "base/text.h"
#include "base/trusted_directory.h"

namespace manactl::adapter {
namespace {

constexpr std::uint64_t kMaxBytes = 192U << 20U;  // with the list of frames, 384 MiB of memory

tl::unexpected<Error> closed(int fd, tl::unexpected<Error> error) {
  close(fd);
  return error;
}

ifreq request_for(const std::string& name) {
  ifreq request{};
  std::copy_n(name.begin(), std::min<std::size_t>(name.size(), IFNAMSIZ - 1), request.ifr_name);
  return request;
}

// Does nothing if the interface is up already, which needs no privilege.
bool bring_up(ifreq& request) {
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return false;
  bool good = ioctl(control, SIOCGIFFLAGS, &request) == 0;
  const bool is_up = (request.ifr_flags & IFF_UP) != 0;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  good = good && (is_up || ioctl(control, SIOCSIFFLAGS, &request) == 0);
  const int error = errno;
  close(control);
  errno = error;
  return good;
}

}  // namespace

// Uses pread(), because several processes may share the file offset.
Result<Capture> load_capture(int fd, const std::string& name) {
  const auto named = [&](std::string_view what) {
    return fmt::format("{} '{}'", what, printable(name));
  };

  struct stat status{};

  if (fstat(fd, &status) != 0) return fail_errno(errno, named("cannot read"));
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::invalid, fmt::format("{}: it is not a regular file", named("cannot use")));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > kMaxBytes) {
    return fail(
        Errc::invalid,
        fmt::format("{}: it is larger than {}", named("cannot use"), human_bytes(kMaxBytes)));
  }
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto got = pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got < 0) return fail_errno(errno, named("cannot read"));
    if (got == 0) bytes.resize(at);
    at += static_cast<std::size_t>(got);
  }
  auto capture = parse_capture(std::move(bytes));
  if (!capture) return because(capture.error(), named("cannot use"));
  return capture;
}

Result<int> open_capture(const std::string& path) {
  auto file = open_input_file(path, "a capture");
  if (!file) return tl::unexpected<Error>(file.error());
  const auto capture = load_capture(file->get(), path);
  if (!capture) return tl::unexpected<Error>(capture.error());
  return file->release();
}

Result<int> create_capture(const std::string& path) {
  const auto cannot = fmt::format("cannot write '{}'", printable(path));
  auto file = open_output_file(path);
  if (!file) return because(file.error(), cannot);
  const auto header = capture_header();
  const auto size = static_cast<ssize_t>(header.size());
  const bool good =
      ftruncate(file->get(), 0) == 0 && write(file->get(), header.data(), header.size()) == size;
  if (!good) return fail_errno(errno, cannot);
  return file->release();
}

Result<int> open_tap(const std::string& name) {
  const auto cannot = fmt::format("cannot create the interface '{}'", name);
  const int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return fail_errno(errno, fmt::format("{}: /dev/net/tun", cannot));
  auto request = request_for(name);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  const bool good = ioctl(fd, TUNSETIFF, &request) == 0 && bring_up(request);
  if (!good) return closed(fd, fail_errno(errno, cannot));
  return fd;
}

}  // namespace manactl::adapter
