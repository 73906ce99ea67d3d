// SPDX-License-Identifier: MIT

#include "fuzz/entry_points.h"

#include "base/ids.h"
#include "base/text.h"
#include "fuzz/require.h"
#include "os/btf.h"
#include "os/kernel_log.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"
#include "os/verbs_probe.h"

namespace manactl::fuzz {
namespace {

// If `input` is a valid T, str() must return text that parses to an equal value.
template <class T>
void require_round_trip(std::string_view input) {
  const auto value = T::parse(input);
  if (!value) return;
  const auto again = T::parse(value->str());
  require(again.has_value() && *again == *value);
}

}  // namespace

void btf(std::string_view input) {
  const auto value = os::enumerator_value(input, {}, "RDMA_DRIVER_MANA");
  require(value.has_value() || value.error().code == Errc::invalid);
  const auto half = input.size() / 2;
  const auto split =
      os::enumerator_value(input.substr(half), input.substr(0, half), "RDMA_DRIVER_MANA");
  require(split.has_value() || split.error().code == Errc::invalid);
}

void netlink(std::string_view input) {
  os::NetlinkReply answers;
  os::decode_datagram(input, 0, answers);
  answers.messages.push_back({0, std::string(input)});
  for (const auto& message : answers.messages) {
    const auto hop = os::decode_next_hop(message.body);
    require(!hop || hop->id != 0);
    (void)os::request_of_route(message.body);
    (void)os::without_encapsulation(message.body);
    const auto device = os::decode_device(message.body);
    require(!device || !device->name.empty());
    const auto chardev = os::decode_chardev(message.body);
    require(!chardev || !chardev->name.empty());
    const auto port = os::decode_port(message.body);
    require(!port || port->port > 0);
    const auto socket = os::decode_tcp(message.body);
    require(!socket || !socket->local_address.empty());
  }
}

void base(std::string_view input) {
  require_round_trip<PciAddress>(input);
  require_round_trip<VmbusId>(input);
  require_round_trip<MacAddress>(input);
  require_round_trip<InterfaceName>(input);
  require_round_trip<Release>(input);
  require_round_trip<CpuList>(input);
  const auto shown = printable(input);
  require(shown.find_first_of("\n\r\t\x1b") == std::string::npos);
  require(parse_unsigned(input).value_or(0) <= UINT64_MAX);
  require(nearest(input, {"check", "doctor"}).size() <= 6);
  const auto record = os::format_record(input);
  require(record.empty() || record.ends_with('\n'));
  const auto reply = os::decode_provider_report(input);
  require(reply.has_value() || !reply.error().message.empty());
}

}  // namespace manactl::fuzz
