// SPDX-License-Identifier: MIT
//
// QEMU's end of a connection to the device. Failures throw std::system_error.

#pragma once

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>
#include <vector>

#include "base/descriptor.h"

namespace manactl::device {

inline void throw_unless(bool succeeded, const char* what) {
  if (!succeeded) throw std::system_error(errno, std::generic_category(), what);
}

struct SocketPair {
  SocketPair() {
    std::array<int, 2> ends{};
    throw_unless(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "socketpair");
    qemu = Descriptor(ends[0]);
    device = Descriptor(ends[1]);
  }

  Descriptor qemu, device;
};

inline Descriptor ram_file(std::uint64_t bytes) {
  Descriptor file(::memfd_create("ram", MFD_CLOEXEC));
  throw_unless(::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0, "ftruncate");
  return file;
}

template <class... Parts>
std::vector<std::uint8_t> body(const Parts&... parts) {
  std::vector<std::uint8_t> bytes;
  const auto add = [&](const auto& part) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(&part);
    bytes.insert(bytes.end(), begin, begin + sizeof part);
  };
  (add(parts), ...);
  return bytes;
}

// Sends the bytes as one message. The receiver gets duplicates of the descriptors.
inline void send_bytes(const Descriptor& socket,
                       std::vector<std::uint8_t> bytes,
                       std::span<const int> descriptors = {}) {
  iovec part{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  std::vector<char> control(CMSG_SPACE(descriptors.size_bytes()));
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    auto* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  const auto sent = ::sendmsg(socket.get(), &message, MSG_NOSIGNAL);
  throw_unless(sent == static_cast<ssize_t>(bytes.size()), "sendmsg");
}

// Waits for `bytes` bytes.
inline std::vector<std::uint8_t> receive_bytes(const Descriptor& socket, std::size_t bytes) {
  std::vector<std::uint8_t> received(bytes);
  if (bytes == 0) return received;
  const auto got = ::recv(socket.get(), received.data(), bytes, MSG_WAITALL);
  throw_unless(got == static_cast<ssize_t>(bytes), "recv");
  return received;
}

}  // namespace manactl::device
