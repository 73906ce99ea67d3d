// SPDX-License-Identifier: MIT

#include "os/ethtool.h"

#include <linux/ethtool.h>

#include <algorithm>

#include "base/text.h"
#include "os/ethtool_request.h"

namespace manactl::os {
namespace {

// Returns the text in a fixed-size field of a kernel structure. The terminating NUL may be missing.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

class IoctlEthtool final : public Ethtool {
 public:
  Result<DriverInfo> driver(const InterfaceName& name) const override;
  Result<Counters> counters(const InterfaceName& name) const override;
};

Result<DriverInfo> IoctlEthtool::driver(const InterfaceName& name) const {
  const auto socket = EthtoolSocket::open(name);
  if (!socket) return tl::unexpected<Error>(socket.error());
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  const auto asked = socket->call(&info);
  if (!asked) return tl::unexpected<Error>(asked.error());
  return DriverInfo{text_of(info.driver),
                    text_of(info.version),
                    text_of(info.bus_info),
                    text_of(info.fw_version)};
}

Result<Counters> IoctlEthtool::counters(const InterfaceName& name) const {
  const auto socket = EthtoolSocket::open(name);
  if (!socket) return tl::unexpected<Error>(socket.error());
  const auto count = socket->string_count(ETH_SS_STATS);
  if (!count) return tl::unexpected<Error>(count.error());
  if (*count == 0) return Counters{};

  // Each ioctl writes all counters that exist at that time, regardless of the requested number. The
  // spare capacity is for queues that are added after string_count().
  constexpr std::uint32_t kMaxCount = 1U << 20;
  if (*count > kMaxCount) {
    return fail(Errc::io,
                fmt::format("the driver reports {} counters (limit: {})", *count, kMaxCount));
  }
  const std::size_t capacity = 2 * std::size_t{*count} + 4096;
  constexpr std::size_t kValuesHead = 8;  // cmd, n_stats
  EthtoolRequest names(ETHTOOL_GSTRINGS, kEthtoolStringsHead + capacity * ETH_GSTRING_LEN);
  names.set_word(1, ETH_SS_STATS);
  names.set_word(2, *count);
  EthtoolRequest values(ETHTOOL_GSTATS, kValuesHead + capacity * sizeof(std::uint64_t));
  values.set_word(1, *count);
  for (auto* request : {&names, &values}) {
    const auto asked = socket->call(*request);
    if (!asked) return tl::unexpected<Error>(asked.error());
  }
  const auto got = std::min<std::size_t>({names.word(2), values.word(1), capacity});
  Counters counters;
  counters.reserve(got);
  for (std::size_t i = 0; i < got; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, values.data() + kValuesHead + i * sizeof(value), sizeof(value));
    counters.emplace_back(ethtool_string(names, i), value);
  }
  return counters;
}

}  // namespace

std::unique_ptr<Ethtool> open_ethtool() {
  return std::make_unique<IoctlEthtool>();
}

}  // namespace manactl::os
