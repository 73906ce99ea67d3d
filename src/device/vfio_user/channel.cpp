// SPDX-License-Identifier: MIT

#include "device/vfio_user/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace manactl::device::vfio_user {
namespace {

// Takes ownership of the descriptors that came with a message.
void take_descriptors(msghdr& message, std::vector<Descriptor>& into) {
  for (auto* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const auto count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
      into.emplace_back(number);
    }
  }
}

}  // namespace

// Returns 0 if nothing has arrived, and also at the end of the connection, which sets closed_.
Result<std::size_t> Channel::read_some(std::span<std::uint8_t> into) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
  iovec bytes{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const auto got = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  closed_ = got == 0 || (got < 0 && errno == ECONNRESET);
  if (closed_) return 0;
  if (got < 0) return fail_errno(errno, "cannot receive");
  take_descriptors(message, message_.descriptors);
  if ((message.msg_flags & MSG_CTRUNC) != 0 || message_.descriptors.size() > kMaxDescriptors) {
    return fail(Errc::invalid,
                fmt::format("a message has more than {} file descriptors", kMaxDescriptors));
  }
  return static_cast<std::size_t>(got);
}

Result<> Channel::parse_header() {
  std::memcpy(&message_.header, head_.data(), head_.size());
  const auto bytes = message_.header.bytes;
  if (bytes < sizeof(Header) || bytes > kMaxMessage) {
    return fail(
        Errc::invalid,
        fmt::format(
            "a message has {} bytes, expected {} to {}", bytes, sizeof(Header), kMaxMessage));
  }
  message_.body.resize(bytes - sizeof(Header));
  return {};
}

Result<Received> Channel::receive() {
  for (;;) {
    const bool in_header = received_ < head_.size();
    const auto part = in_header ? std::span<std::uint8_t>(head_) : std::span(message_.body);
    const auto rest = part.subspan(in_header ? received_ : received_ - head_.size());
    if (rest.empty()) {
      received_ = 0;
      return Received{std::exchange(message_, {}), false};
    }
    const auto got = read_some(rest);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) return Received{std::nullopt, closed_};
    received_ += *got;
    if (in_header && received_ == head_.size()) {
      const auto parsed = parse_header();
      if (!parsed) return tl::unexpected<Error>(parsed.error());
    }
  }
}

Result<> Channel::send_all(Header header, std::span<const std::uint8_t> body) {
  header.bytes = static_cast<std::uint32_t>(sizeof header + body.size());
  std::vector<std::uint8_t> bytes(header.bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::copy(body.begin(), body.end(), bytes.begin() + sizeof header);
  std::span<const std::uint8_t> rest = bytes;
  sigset_t none;
  sigemptyset(&none);
  while (!rest.empty()) {
    const auto sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      rest = rest.subspan(static_cast<std::size_t>(sent));
      continue;
    }
    pollfd writable{socket_.get(), POLLOUT, 0};
    const bool waited = errno == EAGAIN && ::ppoll(&writable, 1, nullptr, &none) > 0;
    if (!waited) return fail_errno(errno, "cannot reply");
  }
  return {};
}

Result<> Channel::reply(const Header& request, std::span<const std::uint8_t> body) {
  if ((request.flags & kNoReply) != 0) return {};
  return send_all({request.id, request.command, 0, kReply, 0}, body);
}

Result<> Channel::refuse(const Header& request, int error) {
  if ((request.flags & kNoReply) != 0) return {};
  return send_all(
      {request.id, request.command, 0, kReply | kError, static_cast<std::uint32_t>(error)}, {});
}

}  // namespace manactl::device::vfio_user
