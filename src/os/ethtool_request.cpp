// SPDX-License-Identifier: MIT

#include "os/ethtool_request.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/text.h"

namespace manactl::os {

EthtoolRequest::EthtoolRequest(std::uint32_t command, std::size_t bytes) : words_((bytes + 7) / 8) {
  set_word(0, command);
}

std::uint32_t EthtoolRequest::word(std::size_t index) const {
  std::uint32_t value = 0;
  std::memcpy(&value, data() + index * sizeof(value), sizeof(value));
  return value;
}

void EthtoolRequest::set_word(std::size_t index, std::uint32_t value) {
  std::memcpy(data() + index * sizeof(value), &value, sizeof(value));
}

Result<EthtoolSocket> EthtoolSocket::open(const InterfaceName& name) {
  if (name.str().size() >= IFNAMSIZ) {
    return fail(Errc::invalid,
                fmt::format("'{}' is an alternative name, which the ethtool ioctl does not support",
                            printable(name.str())));
  }
  Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  // If the kernel lacks IPv4, use a Unix socket: SIOCETHTOOL works on any socket.
  if (!socket) socket = Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return fail_errno(errno, "cannot open a socket for ethtool");
  return EthtoolSocket(std::move(socket), name.str());
}

Result<> EthtoolSocket::call(void* request) const {
  return call(SIOCETHTOOL, request);
}

Result<> EthtoolSocket::call(unsigned long number, void* request) const {
  ifreq ioctl_request{};
  std::memcpy(ioctl_request.ifr_name, name_.data(), name_.size());
  ioctl_request.ifr_data = static_cast<char*>(request);
  if (ioctl(socket_.get(), number, &ioctl_request) >= 0) return {};
  return fail_errno(errno, fmt::format("the ethtool request for '{}' failed", printable(name_)));
}

Result<std::uint32_t> EthtoolSocket::string_count(unsigned set) const {
  // struct ethtool_sset_info: cmd, reserved, a 64-bit mask of string sets, and the number of
  // strings in each set. The kernel clears the bits of sets that the driver lacks.
  constexpr std::size_t kBytes = 24;
  constexpr std::size_t kMaskWord = 2;
  constexpr std::size_t kCountWord = 4;
  EthtoolRequest request(ETHTOOL_GSSET_INFO, kBytes);
  request.set_word(kMaskWord, 1U << set);
  const auto asked = call(request);
  if (!asked) return tl::unexpected<Error>(asked.error());
  return request.word(kMaskWord) == 0 ? 0U : request.word(kCountWord);
}

std::string ethtool_string(const EthtoolRequest& strings, std::size_t index) {
  const char* text = strings.data() + kEthtoolStringsHead + index * ETH_GSTRING_LEN;
  return {text, strnlen(text, ETH_GSTRING_LEN)};
}

}  // namespace manactl::os
