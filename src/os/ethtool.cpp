// SPDX-License-Identifier: MIT

#include "os/ethtool.h"

#include <linux/ethtool.h>

#include <algorithm>

#include "base/text.h"
#include "os/ethtool_request.h"

namespace manactl::os {
namespace {

constexpr std::size_t kValuesHead = 8;  // of struct ethtool_stats: cmd, n_stats

// Older kernels write all counters that exist at that time, regardless of the requested number;
// newer ones write none if the number differs. The spare capacity is for queues that are added
// after `count` was read.
constexpr std::size_t capacity_for(std::size_t count) {
  return 2 * count + 4096;
}

EthtoolRequest values_request(std::size_t count) {
  EthtoolRequest request(ETHTOOL_GSTATS, kValuesHead + capacity_for(count) * sizeof(std::uint64_t));
  request.set_word(1, static_cast<std::uint32_t>(count));
  return request;
}

std::uint64_t value_at(const EthtoolRequest& values, std::size_t index) {
  std::uint64_t value = 0;
  std::memcpy(&value, values.data() + kValuesHead + index * sizeof(value), sizeof(value));
  return value;
}

// Returns the text in a fixed-size field of a kernel structure. The terminating NUL may be missing.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

class IoctlEthtool final : public Ethtool {
 public:
  Result<DriverInfo> driver(const InterfaceName& name) const override;
  Result<Counters> counters(const InterfaceName& name) const override;
  Result<std::vector<std::uint64_t>> counter_values(const InterfaceName& name) const override;
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

// Returns the number of counters, which limits the memory of the next requests.
Result<std::uint32_t> counter_count(const EthtoolSocket& socket) {
  constexpr std::uint32_t kMaxCount = 1U << 20;
  auto count = socket.string_count(ETH_SS_STATS);
  if (count && *count > kMaxCount) {
    return fail(Errc::io,
                fmt::format("the driver reports {} counters (limit: {})", *count, kMaxCount));
  }
  return count;
}

Result<Counters> IoctlEthtool::counters(const InterfaceName& name) const {
  const auto socket = EthtoolSocket::open(name);
  if (!socket) return tl::unexpected<Error>(socket.error());
  const auto count = counter_count(*socket);
  if (!count) return tl::unexpected<Error>(count.error());
  if (*count == 0) return Counters{};
  const auto capacity = capacity_for(*count);
  EthtoolRequest names(ETHTOOL_GSTRINGS, kEthtoolStringsHead + capacity * ETH_GSTRING_LEN);
  names.set_word(1, ETH_SS_STATS);
  names.set_word(2, *count);
  auto values = values_request(*count);
  for (auto* request : {&names, &values}) {
    const auto asked = socket->call(*request);
    if (!asked) return tl::unexpected<Error>(asked.error());
  }
  const auto got = std::min<std::size_t>({names.word(2), values.word(1), capacity});
  Counters counters;
  counters.reserve(got);
  for (std::size_t i = 0; i < got; ++i) {
    counters.emplace_back(ethtool_string(names, i), value_at(values, i));
  }
  return counters;
}

Result<std::vector<std::uint64_t>> IoctlEthtool::counter_values(const InterfaceName& name) const {
  const auto socket = EthtoolSocket::open(name);
  if (!socket) return tl::unexpected<Error>(socket.error());
  const auto count = counter_count(*socket);
  if (!count) return tl::unexpected<Error>(count.error());
  if (*count == 0) return std::vector<std::uint64_t>{};
  auto request = values_request(*count);
  const auto asked = socket->call(request);
  if (!asked) return tl::unexpected<Error>(asked.error());
  std::vector<std::uint64_t> values(std::min<std::size_t>(request.word(1), capacity_for(*count)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_at(request, i);
  return values;
}

}  // namespace

Result<std::vector<std::uint64_t>> Ethtool::counter_values(const InterfaceName& name) const {
  const auto all = counters(name);
  if (!all) return tl::unexpected<Error>(all.error());
  std::vector<std::uint64_t> values;
  for (const auto& counter : *all) values.push_back(counter.second);
  return values;
}

std::unique_ptr<Ethtool> open_ethtool() {
  return std::make_unique<IoctlEthtool>();
}

}  // namespace manactl::os
