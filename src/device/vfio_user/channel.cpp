// SPDX-License-Identifier: MIT

#include "device/vfio_user/channel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

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

// False at the end of the connection.
Result<bool> Channel::read_all(std::span<std::uint8_t> into, std::vector<Descriptor>& descriptors) {
  while (!into.empty()) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
    iovec bytes{into.data(), into.size()};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const auto got = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || (got < 0 && errno == ECONNRESET)) return false;
    if (got < 0) return fail_errno(errno, "cannot receive");
    take_descriptors(message, descriptors);
    if ((message.msg_flags & MSG_CTRUNC) != 0 || descriptors.size() > kMaxDescriptors) {
      return fail(Errc::invalid, "a message has too many file descriptors");
    }
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

Result<std::optional<Message>> Channel::receive() {
  Message message;
  std::array<std::uint8_t, sizeof(Header)> head{};
  const auto begun = read_all(head, message.descriptors);
  if (!begun) return tl::unexpected<Error>(begun.error());
  if (!*begun) return std::optional<Message>{};
  std::memcpy(&message.header, head.data(), head.size());
  const auto bytes = message.header.bytes;
  if (bytes < sizeof(Header) || bytes > kMaxMessage) {
    return fail(Errc::invalid, fmt::format("a message has {} bytes", bytes));
  }
  message.body.resize(bytes - sizeof(Header));
  const auto complete = read_all(message.body, message.descriptors);
  if (!complete) return tl::unexpected<Error>(complete.error());
  if (!*complete) return std::optional<Message>{};
  return std::optional(std::move(message));
}

Result<> Channel::send_all(Header header, std::span<const std::uint8_t> body) {
  header.bytes = static_cast<std::uint32_t>(sizeof header + body.size());
  std::vector<std::uint8_t> bytes(header.bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::copy(body.begin(), body.end(), bytes.begin() + sizeof header);
  std::span<const std::uint8_t> rest = bytes;
  while (!rest.empty()) {
    const auto sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return fail_errno(errno, "cannot reply");
    rest = rest.subspan(static_cast<std::size_t>(sent));
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
