// SPDX-License-Identifier: MIT

#include "device/message_channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace manactl::device {
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
Result<std::size_t> MessageChannel::read_some(std::span<std::uint8_t> into) {
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
  if ((message.msg_flags & MSG_CTRUNC) != 0 || message_.descriptors.size() > max_descriptors_) {
    return fail(Errc::invalid,
                fmt::format("a message has more than {} file descriptors", max_descriptors_));
  }
  return static_cast<std::size_t>(got);
}

Result<Received<RawMessage>> MessageChannel::receive() {
  const auto sent = send_output();
  if (!sent) return tl::unexpected<Error>(sent.error());
  if (!output_.empty()) return Received<RawMessage>{};
  for (;;) {
    const auto head = message_.header.size();
    const bool in_header = received_ < head;
    const auto part = in_header ? std::span<std::uint8_t>(message_.header) : message_.body;
    const auto rest = part.subspan(in_header ? received_ : received_ - head);
    if (rest.empty()) {
      received_ = 0;
      return Received<RawMessage>{std::exchange(message_, {}), false};
    }
    const auto got = read_some(rest);
    if (!got) return tl::unexpected<Error>(got.error());
    if (closed_ && received_ > 0) {
      return fail(Errc::invalid, "the connection has ended within a message");
    }
    if (*got == 0) return Received<RawMessage>{std::nullopt, closed_};
    received_ += *got;
    if (in_header && received_ == head) {
      const auto bytes = body_bytes_(message_.header);
      if (!bytes) return tl::unexpected<Error>(bytes.error());
      message_.body.resize(*bytes);
    }
  }
}

Result<> MessageChannel::send(std::span<const std::uint8_t> bytes) {
  output_ = concatenated(output_, bytes);
  return send_output();
}

Result<> MessageChannel::send_output() {
  while (!output_.empty()) {
    const auto sent =
        ::send(socket_.get(), output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return {};
    if (sent < 0) return fail_errno(errno, "cannot reply");
    output_.erase(output_.begin(), output_.begin() + sent);
  }
  return {};
}

}  // namespace manactl::device
