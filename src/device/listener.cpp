// SPDX-License-Identifier: MIT

#include "device/listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace manactl::device {
namespace {

Descriptor new_socket(int type) {
  return Descriptor(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// No value if the path is too long.
std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Result<> remove_stale(const sockaddr_un& address, int type) {
  struct stat status{};
  if (::lstat(address.sun_path, &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode)) return fail(Errc::busy, "it exists and is not a socket");
  const int connected = ::connect(new_socket(type).get(), generic(address), sizeof address);
  if (connected == 0 || errno != ECONNREFUSED) return fail(Errc::busy, "another process uses it");
  if (::unlink(address.sun_path) != 0) return fail_errno(errno, "cannot remove the old socket");
  return {};
}

}  // namespace

Result<Listener> Listener::open(const std::string& path, int type) {
  const auto doing = fmt::format("cannot use the socket '{}'", path);
  const auto address = address_of(path);
  if (!address) {
    return because({Errc::invalid,
                    0,
                    fmt::format("at most {} bytes are possible", sizeof address->sun_path - 1)},
                   doing);
  }
  const auto removed = remove_stale(*address, type);
  if (!removed) return because(removed.error(), doing);
  Listener listener;
  listener.socket_ = new_socket(type);
  const auto mask = ::umask(S_IRWXG | S_IRWXO);
  const int number =
      ::bind(listener.socket_.get(), generic(*address), sizeof *address) == 0 ? 0 : errno;
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

Descriptor connect_to(const std::string& path, int type) {
  const auto address = address_of(path);
  auto socket = new_socket(type);
  if (!address || ::connect(socket.get(), generic(*address), sizeof *address) != 0) return {};
  return socket;
}

}  // namespace manactl::device
