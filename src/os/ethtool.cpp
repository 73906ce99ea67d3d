// SPDX-License-Identifier: MIT

#include "os/ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

// Returns the text in a fixed-size field of a kernel structure. The terminating NUL may be missing.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

// An ethtool command structure of variable length, aligned for any member.
class Request {
 public:
  Request(std::uint32_t command, std::size_t bytes) : words_((bytes + 7) / 8) {
    std::memcpy(words_.data(), &command, sizeof(command));
  }

  char* data() { return reinterpret_cast<char*>(words_.data()); }

  std::uint32_t word(std::size_t index) const {
    std::uint32_t value = 0;
    std::memcpy(&value,
                reinterpret_cast<const char*>(words_.data()) + index * sizeof(value),
                sizeof(value));
    return value;
  }

  void set_word(std::size_t index, std::uint32_t value) {
    std::memcpy(data() + index * sizeof(value), &value, sizeof(value));
  }

 private:
  std::vector<std::uint64_t> words_;
};

Result<> call(const Descriptor& socket, const InterfaceName& name, void* request) {
  ifreq ioctl_request{};
  if (name.str().size() >= sizeof(ioctl_request.ifr_name)) {
    return fail(Errc::invalid,
                fmt::format("'{}' is an alternative name, which the ethtool ioctl does not support",
                            printable(name.str())));
  }
  std::memcpy(ioctl_request.ifr_name, name.str().data(), name.str().size());
  ioctl_request.ifr_data = static_cast<char*>(request);
  if (ioctl(socket.get(), SIOCETHTOOL, &ioctl_request) != 0) {
    return fail_errno(errno,
                      fmt::format("cannot query the ethtool data of '{}'", printable(name.str())));
  }
  return {};
}

Result<Descriptor> open_socket() {
  Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  // If the kernel lacks IPv4, use a Unix socket: SIOCETHTOOL works on any socket.
  if (!socket) socket = Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return fail_errno(errno, "cannot open a socket for ethtool");
  return socket;
}

class IoctlEthtool final : public Ethtool {
 public:
  Result<DriverInfo> driver(const InterfaceName& name) const override;
  Result<Counters> counters(const InterfaceName& name) const override;
};

Result<DriverInfo> IoctlEthtool::driver(const InterfaceName& name) const {
  const auto socket = open_socket();
  if (!socket) return tl::unexpected<Error>(socket.error());
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  const auto asked = call(*socket, name, &info);
  if (!asked) return tl::unexpected<Error>(asked.error());
  return DriverInfo{text_of(info.driver),
                    text_of(info.version),
                    text_of(info.bus_info),
                    text_of(info.fw_version)};
}

Result<std::uint32_t> counter_count(const Descriptor& socket, const InterfaceName& name) {
  // struct ethtool_sset_info: cmd, reserved, a 64-bit mask of string sets, and the number of
  // strings in each set. The kernel clears the bits of sets that the driver lacks.
  constexpr std::size_t kBytes = 24;
  constexpr std::size_t kMaskWord = 2;
  constexpr std::size_t kCountWord = 4;
  Request request(ETHTOOL_GSSET_INFO, kBytes);
  const std::uint64_t mask = std::uint64_t{1} << ETH_SS_STATS;
  std::memcpy(request.data() + kMaskWord * 4, &mask, sizeof(mask));
  const auto asked = call(socket, name, request.data());
  if (!asked) return tl::unexpected<Error>(asked.error());
  std::uint64_t kept = 0;
  std::memcpy(&kept, request.data() + kMaskWord * 4, sizeof(kept));
  return kept == 0 ? 0U : request.word(kCountWord);
}

Result<Counters> IoctlEthtool::counters(const InterfaceName& name) const {
  const auto socket = open_socket();
  if (!socket) return tl::unexpected<Error>(socket.error());
  const auto count = counter_count(*socket, name);
  if (!count) return tl::unexpected<Error>(count.error());
  if (*count == 0) return Counters{};

  // Each ioctl writes all counters that exist at that time, regardless of the requested number. The
  // spare capacity is for queues that are added after counter_count().
  constexpr std::uint32_t kMaxCount = 1U << 20;
  if (*count > kMaxCount) {
    return fail(Errc::io,
                fmt::format("the driver reports {} counters (limit: {})", *count, kMaxCount));
  }
  const std::size_t capacity = 2 * std::size_t{*count} + 4096;
  constexpr std::size_t kNamesHead = 12;  // cmd, string_set, len
  constexpr std::size_t kValuesHead = 8;  // cmd, n_stats
  Request names(ETHTOOL_GSTRINGS, kNamesHead + capacity * ETH_GSTRING_LEN);
  names.set_word(1, ETH_SS_STATS);
  names.set_word(2, *count);
  Request values(ETHTOOL_GSTATS, kValuesHead + capacity * sizeof(std::uint64_t));
  values.set_word(1, *count);
  for (auto* request : {&names, &values}) {
    const auto asked = call(*socket, name, request->data());
    if (!asked) return tl::unexpected<Error>(asked.error());
  }
  const auto got = std::min<std::size_t>({names.word(2), values.word(1), capacity});
  Counters counters;
  counters.reserve(got);
  for (std::size_t i = 0; i < got; ++i) {
    const char* text = names.data() + kNamesHead + i * ETH_GSTRING_LEN;
    std::uint64_t value = 0;
    std::memcpy(&value, values.data() + kValuesHead + i * sizeof(value), sizeof(value));
    counters.emplace_back(std::string(text, strnlen(text, ETH_GSTRING_LEN)), value);
  }
  return counters;
}

}  // namespace

std::unique_ptr<Ethtool> open_ethtool() {
  return std::make_unique<IoctlEthtool>();
}

}  // namespace manactl::os
