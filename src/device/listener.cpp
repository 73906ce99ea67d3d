// SPDX-License-Identifier: MIT

#include "device/listener.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/path_walk.h"
#include "base/text.h"
#include "base/trusted_directory.h"

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

std::string doing(const std::string& path) {
  return fmt::format("cannot use the socket '{}'", printable(path));
}

// Then no other user can replace a socket of this user in the directory.
Result<> check_directory(const std::string& path) {
  const auto place = split_file_path(path);
  if (!place) return tl::unexpected<Error>(place.error());
  const auto directory = TrustedDirectory::open(place->directory, Trust::owned);
  return directory ? Result<>{} : tl::unexpected<Error>(directory.error());
}

Result<> check_owner(uid_t owner, std::string_view what) {
  struct stat status{};
  status.st_uid = owner;
  if (is_trusted_owner(status)) return {};
  return fail(
      Errc::denied,
      fmt::format("{} belongs to UID {}, expected root or UID {}", what, owner, ::geteuid()));
}

// The kernel stores the user of a listener at listen(2), and that of a client at connect(2).
Result<> check_peer(const Descriptor& socket) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) {
    return fail_errno(errno, "cannot find the user of the other process");
  }
  return check_owner(peer.uid, "the process at the other end");
}

}  // namespace

Result<Listener> Listener::open(const std::string& path, int type) {
  const auto suffix = fmt::format(".{}", ::gettid());  // of the temporary name
  const auto address = address_of(path);
  const auto temporary = address_of(path + suffix);
  if (!temporary) {
    const auto max = sizeof temporary->sun_path - 1 - suffix.size();
    return because({Errc::invalid, 0, fmt::format("at most {} bytes are possible", max)},
                   doing(path));
  }
  const auto trusted = check_directory(path);
  if (!trusted) return because(trusted.error(), doing(path));
  const auto removed = remove_stale(*address, type);
  if (!removed) return because(removed.error(), doing(path));
  Listener listener;
  listener.socket_ = new_socket(type);
  // bind() takes the mode from the socket (Linux, net/unix/af_unix.c).
  if (::fchmod(listener.socket_.get(), S_IRWXU) != 0 ||
      ::bind(listener.socket_.get(), generic(*temporary), sizeof *temporary) != 0) {
    return fail_errno(errno, doing(path));
  }
  // The socket gets its name only when it listens: a socket that refuses connections is stale.
  const auto* name = temporary->sun_path;
  struct stat status{};
  const bool listens = ::listen(listener.socket_.get(), 1) == 0 && ::lstat(name, &status) == 0 &&
                       ::link(name, path.c_str()) == 0;
  const int number = errno;
  ::unlink(name);
  if (!listens) return fail_errno(number, doing(path));
  listener.path_ = path;
  listener.device_ = status.st_dev;
  listener.inode_ = status.st_ino;
  return listener;
}

Listener::~Listener() {
  if (!path_.empty() && is_in_place()) ::unlink(path_.c_str());
}

bool Listener::is_in_place() const {
  struct stat status{};
  return ::lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ &&
         status.st_ino == inode_;
}

Descriptor Listener::accept() {
  constexpr std::chrono::milliseconds kPause(100);
  Descriptor client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool is_lacking =
      !client && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS);
  accept_error_ = is_lacking ? errno : 0;
  if (is_lacking) retry_at_ = Clock::now() + kPause;
  return client && check_peer(client) ? std::move(client) : Descriptor();
}

Result<Descriptor> connect_to(const std::string& path, int type) {
  const auto address = address_of(path);
  if (!address) return fail_errno(ENAMETOOLONG, doing(path));
  const auto trusted = check_directory(path);
  if (!trusted) return because(trusted.error(), doing(path));
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return fail_errno(errno, doing(path));
  if (!S_ISSOCK(status.st_mode)) {
    return fail(Errc::invalid, fmt::format("{}: it is not a socket", doing(path)));
  }
  const auto owned = check_owner(status.st_uid, "it");
  if (!owned) return because(owned.error(), doing(path));
  auto socket = new_socket(type);
  if (::connect(socket.get(), generic(*address), sizeof *address) != 0) {
    return fail_errno(errno, doing(path));
  }
  const auto peer = check_peer(socket);
  if (!peer) return because(peer.error(), doing(path));
  return socket;
}

}  // namespace manactl::device
