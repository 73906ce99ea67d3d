// SPDX-License-Identifier: MIT

#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/text.h"
#include "os/ethtool_request.h"
#include "os/interface_settings.h"

namespace manactl::os {
namespace {

constexpr std::string_view kFeature = "feature/";
constexpr std::string_view kHashFields = "hash-fields/";
constexpr std::string_view kRss = "rss";
constexpr std::string_view kTimeStamping = "time-stamping";

// Command structures that consist of words: the command, and from `first` on the settings.
struct WordGroup {
  std::string_view key;
  std::uint32_t get, set;
  std::size_t size, first, count;  // in words
  bool has_limits = false;         // the words before `first` are the largest values
};

// Changing the channels or the rings resets the RSS table, which therefore comes last.
constexpr WordGroup kWordGroups[] = {
    {"channels", ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS, sizeof(ethtool_channels) / 4, 5, 4, true},
    {"rings", ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM, sizeof(ethtool_ringparam) / 4, 5, 4, true},
    {"coalescing", ETHTOOL_GCOALESCE, ETHTOOL_SCOALESCE, sizeof(ethtool_coalesce) / 4, 1, 22},
    {"pause", ETHTOOL_GPAUSEPARAM, ETHTOOL_SPAUSEPARAM, sizeof(ethtool_pauseparam) / 4, 1, 3},
    {"private-flags", ETHTOOL_GPFLAGS, ETHTOOL_SPFLAGS, sizeof(ethtool_value) / 4, 1, 1},
    {"msglevel", ETHTOOL_GMSGLVL, ETHTOOL_SMSGLVL, sizeof(ethtool_value) / 4, 1, 1},
};

struct FlowType {
  std::string_view name;
  std::uint32_t type;
};

constexpr FlowType kFlowTypes[] = {
    {"tcp4", TCP_V4_FLOW},
    {"udp4", UDP_V4_FLOW},
    {"sctp4", SCTP_V4_FLOW},
    {"tcp6", TCP_V6_FLOW},
    {"udp6", UDP_V6_FLOW},
    {"sctp6", SCTP_V6_FLOW},
    {"ip4", IPV4_FLOW},
    {"ip6", IPV6_FLOW},
};

tl::unexpected<Error> wrong_value(std::string_view key, const std::string& value) {
  return fail(Errc::invalid,
              fmt::format("'{}' is not a value of '{}'", printable(value), printable(key)));
}

Result<std::vector<std::uint32_t>> numbers_of(std::string_view key,
                                              const std::string& value,
                                              std::size_t count) {
  std::vector<std::uint32_t> numbers;
  for (const auto word : words(value)) {
    const auto number = parse_unsigned(word, UINT32_MAX);
    if (!number) return wrong_value(key, value);
    numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  if (numbers.size() != count) return wrong_value(key, value);
  return numbers;
}

// Reads `group.count` words from `first` on.
void read_words(const EthtoolSocket& socket,
                const WordGroup& group,
                std::size_t first,
                InterfaceSettings& target) {
  EthtoolRequest request(group.get, group.size * 4);
  if (!socket.call(request)) return;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < group.count; ++i) {
    values.push_back(std::to_string(request.word(first + i)));
  }
  target.emplace_back(group.key, join(values, " "));
}

Result<> write_words(const EthtoolSocket& socket,
                     const WordGroup& group,
                     const std::string& value) {
  const auto numbers = numbers_of(group.key, value, group.count);
  if (!numbers) return tl::unexpected<Error>(numbers.error());
  EthtoolRequest request(group.get, group.size * 4);
  auto read = socket.call(request);
  if (!read) return read;
  request.set_word(0, group.set);
  for (std::size_t i = 0; i < group.count; ++i) request.set_word(group.first + i, (*numbers)[i]);
  return socket.call(request);
}

// struct ethtool_gfeatures and ethtool_sfeatures: the command, the number of blocks, and for each
// 32 features a block of words.
constexpr std::size_t kFeaturesHead = 2;
constexpr std::size_t kReadBlock = 4;   // available, requested, active, never_changed
constexpr std::size_t kWriteBlock = 2;  // valid, requested

struct Features {
  std::uint32_t count = 0;
  std::size_t blocks = 0;
  EthtoolRequest names, values;

  bool has(std::size_t word, std::uint32_t feature) const {
    const auto block = values.word(kFeaturesHead + feature / 32 * kReadBlock + word);
    return (block >> (feature % 32) & 1U) != 0;
  }

  bool can_change(std::uint32_t feature) const { return has(0, feature) && !has(3, feature); }
};

Result<Features> read_features(const EthtoolSocket& socket) {
  const auto count = socket.string_count(ETH_SS_FEATURES);
  if (!count) return tl::unexpected<Error>(count.error());
  constexpr std::uint32_t kMaxFeatures = 4096;
  if (*count > kMaxFeatures) return fail(Errc::io, "the kernel reports too many features");
  const std::size_t blocks = (*count + 31) / 32;
  Features features{
      *count,
      blocks,
      {ETHTOOL_GSTRINGS, kEthtoolStringsHead + std::size_t{*count} * ETH_GSTRING_LEN},
      {ETHTOOL_GFEATURES, (kFeaturesHead + blocks * kReadBlock) * 4},
  };
  features.names.set_word(1, ETH_SS_FEATURES);
  features.names.set_word(2, *count);
  features.values.set_word(1, static_cast<std::uint32_t>(blocks));
  for (auto* request : {&features.names, &features.values}) {
    const auto asked = socket.call(*request);
    if (!asked) return tl::unexpected<Error>(asked.error());
  }
  return features;
}

void read_features(const EthtoolSocket& socket, InterfaceSettings& target) {
  const auto features = read_features(socket);
  if (!features) return;
  for (std::uint32_t feature = 0; feature < features->count; ++feature) {
    if (!features->can_change(feature)) continue;
    target.emplace_back(std::string(kFeature) + ethtool_string(features->names, feature),
                        features->has(1, feature) ? "on" : "off");
  }
}

Result<> write_feature(const EthtoolSocket& socket,
                       std::string_view name,
                       const std::string& value) {
  if (value != "on" && value != "off") return wrong_value(name, value);
  const auto features = read_features(socket);
  if (!features) return tl::unexpected<Error>(features.error());
  for (std::uint32_t feature = 0; feature < features->count; ++feature) {
    if (ethtool_string(features->names, feature) != name) continue;
    EthtoolRequest request(ETHTOOL_SFEATURES, (kFeaturesHead + features->blocks * kWriteBlock) * 4);
    request.set_word(1, static_cast<std::uint32_t>(features->blocks));
    const auto block = kFeaturesHead + feature / 32 * kWriteBlock;
    const auto bit = std::uint32_t{1} << (feature % 32);
    request.set_word(block, bit);
    request.set_word(block + 1, value == "on" ? bit : 0);
    return socket.call(request);
  }
  return fail(Errc::not_found, fmt::format("there is no feature '{}'", printable(name)));
}

void read_hash_fields(const EthtoolSocket& socket, InterfaceSettings& target) {
  for (const auto& flow : kFlowTypes) {
    ethtool_rxnfc request{};
    request.cmd = ETHTOOL_GRXFH;
    request.flow_type = flow.type;
    if (!socket.call(&request)) continue;
    target.emplace_back(fmt::format("{}{}", kHashFields, flow.name), std::to_string(request.data));
  }
}

Result<> write_hash_fields(const EthtoolSocket& socket,
                           std::string_view name,
                           const std::string& value) {
  const auto flow = std::ranges::find(kFlowTypes, name, &FlowType::name);
  const auto fields = parse_unsigned(value, UINT32_MAX);
  if (flow == std::end(kFlowTypes) || !fields) return wrong_value(name, value);
  ethtool_rxnfc request{};
  request.cmd = ETHTOOL_SRXFH;
  request.flow_type = flow->type;
  request.data = *fields;
  return socket.call(&request);
}

// struct ethtool_rxfh: the command, the context, the size of the table, the size of the key, the
// hash function and three other bytes, a reserved word, the table, and the key.
constexpr std::size_t kRssHead = sizeof(ethtool_rxfh) / 4;
constexpr std::size_t kTableWord = 2, kKeyWord = 3, kFunctionWord = 4;
constexpr std::uint32_t kMaxRssBytes = 1U << 20;

// "FUNCTION KEY QUEUE...", with the key in hexadecimal or "-".
void read_rss(const EthtoolSocket& socket, InterfaceSettings& target) {
  EthtoolRequest sizes(ETHTOOL_GRSSH, sizeof(ethtool_rxfh));
  if (!socket.call(sizes)) return;
  const auto queues = sizes.word(kTableWord);
  const auto key_bytes = sizes.word(kKeyWord);
  if (queues == 0 || queues > kMaxRssBytes / 4 || key_bytes > kMaxRssBytes) return;
  EthtoolRequest request(ETHTOOL_GRSSH, (kRssHead + queues) * 4 + key_bytes);
  request.set_word(kTableWord, queues);
  request.set_word(kKeyWord, key_bytes);
  if (!socket.call(request)) return;
  const std::string_view key(request.data() + (kRssHead + queues) * 4, key_bytes);
  std::string value =
      fmt::format("{} {}", request.word(kFunctionWord) & 0xffU, key.empty() ? "-" : to_hex(key));
  for (std::size_t i = 0; i < queues; ++i) value += fmt::format(" {}", request.word(kRssHead + i));
  target.emplace_back(kRss, std::move(value));
}

Result<> write_rss(const EthtoolSocket& socket, const std::string& value) {
  const auto parts = words(value);
  if (parts.size() < 3) return wrong_value(kRss, value);
  const auto function = parse_unsigned(parts[0], UINT8_MAX);
  const auto key = parts[1] == "-" ? Result<std::string>() : from_hex(parts[1]);
  if (!function || !key) return wrong_value(kRss, value);
  const std::size_t queues = parts.size() - 2;
  EthtoolRequest request(ETHTOOL_SRSSH, (kRssHead + queues) * 4 + key->size());
  request.set_word(kTableWord, static_cast<std::uint32_t>(queues));
  request.set_word(kKeyWord, static_cast<std::uint32_t>(key->size()));
  request.set_word(kFunctionWord, static_cast<std::uint32_t>(*function));
  for (std::size_t i = 0; i < queues; ++i) {
    const auto queue = parse_unsigned(parts[i + 2], UINT32_MAX);
    if (!queue) return wrong_value(kRss, value);
    request.set_word(kRssHead + i, static_cast<std::uint32_t>(*queue));
  }
  std::memcpy(request.data() + (kRssHead + queues) * 4, key->data(), key->size());
  return socket.call(request);
}

// "TX_TYPE RX_FILTER", as numbers of linux/net_tstamp.h.
void read_time_stamping(const EthtoolSocket& socket, InterfaceSettings& target) {
  hwtstamp_config config{};
  if (!socket.call(SIOCGHWTSTAMP, &config)) return;
  target.emplace_back(kTimeStamping, fmt::format("{} {}", config.tx_type, config.rx_filter));
}

Result<> write_time_stamping(const EthtoolSocket& socket, const std::string& value) {
  const auto numbers = numbers_of(kTimeStamping, value, 2);
  if (!numbers) return tl::unexpected<Error>(numbers.error());
  hwtstamp_config config{};
  config.tx_type = static_cast<int>((*numbers)[0]);
  config.rx_filter = static_cast<int>((*numbers)[1]);
  return socket.call(SIOCSHWTSTAMP, &config);
}

}  // namespace

Result<InterfaceSettings> read_ethtool_settings(const InterfaceName& name) {
  const auto socket = EthtoolSocket::open(name);
  if (!socket) return tl::unexpected<Error>(socket.error());
  InterfaceSettings settings;
  for (const auto& group : kWordGroups) read_words(*socket, group, group.first, settings);
  read_features(*socket, settings);
  read_hash_fields(*socket, settings);
  read_rss(*socket, settings);
  read_time_stamping(*socket, settings);
  return settings;
}

Result<InterfaceSettings> read_ethtool_limits(const InterfaceName& name) {
  const auto socket = EthtoolSocket::open(name);
  if (!socket) return tl::unexpected<Error>(socket.error());
  InterfaceSettings limits;
  for (const auto& group : kWordGroups) {
    if (group.has_limits) read_words(*socket, group, group.first - group.count, limits);
  }
  return limits;
}

Result<> write_ethtool_setting(const InterfaceName& name,
                               const std::string& key,
                               const std::string& value) {
  const auto socket = EthtoolSocket::open(name);
  if (!socket) return tl::unexpected<Error>(socket.error());
  const auto group = std::ranges::find(kWordGroups, key, &WordGroup::key);
  if (group != std::end(kWordGroups)) return write_words(*socket, *group, value);
  if (key == kRss) return write_rss(*socket, value);
  if (key == kTimeStamping) return write_time_stamping(*socket, value);
  const std::string_view view(key);
  if (view.starts_with(kFeature)) {
    return write_feature(*socket, view.substr(kFeature.size()), value);
  }
  if (view.starts_with(kHashFields)) {
    return write_hash_fields(*socket, view.substr(kHashFields.size()), value);
  }
  return fail(Errc::invalid, fmt::format("there is no setting '{}'", printable(key)));
}

}  // namespace manactl::os
