// SPDX-License-Identifier: MIT

#include "device/listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace manactl::device {
namespace {

Descriptor new_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Result<> remove_stale(const sockaddr_un& address) {
  struct stat status{};
  if (::lstat(address.sun_path, &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode)) return fail(Errc::busy, "it exists and is not a socket");
  const int connected = ::connect(new_socket().get(), generic(address), sizeof address);
  if (connected == 0 || errno != ECONNREFUSED) return fail(Errc::busy, "another process uses it");
  if (::unlink(address.sun_path) != 0) return fail_errno(errno, "cannot remove the old socket");
  return {};
}

}  // namespace

Result<Listener> Listener::open(const std::string& path) {
  const auto doing = fmt::format("cannot use the socket '{}'", path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return because({Errc::invalid,
                    0,
                    fmt::format("at most {} bytes are possible", sizeof address.sun_path - 1)},
                   doing);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto removed = remove_stale(address);
  if (!removed) return because(removed.error(), doing);
  Listener listener;
  listener.socket_ = new_socket();
  const auto mask = ::umask(S_IRWXG | S_IRWXO);
  const int number =
      ::bind(listener.socket_.get(), generic(address), sizeof address) == 0 ? 0 : errno;
  ::umask(mask);
  if (number != 0) return fail_errno(number, doing);
  listener.path_ = path;
  if (::listen(listener.socket_.get(), 1) != 0) return fail_errno(errno, doing);
  return listener;
}

Listener::~Listener() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Descriptor Listener::accept() const {
  return Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

}  // namespace manactl::device
