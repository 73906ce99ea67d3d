// SPDX-License-Identifier: MIT

#include "adapter/net/received.h"

namespace manactl::adapter {
namespace {

// MANA_HASH_L3 and MANA_HASH_L4 of Linux include/net/mana/mana.h. The driver only tests whether a
// completion has any bit of a mask: L3 if only addresses were hashed, L4 if ports were too.
constexpr std::uint16_t kHashedL3 = 0x49, kHashedL4 = 0x1b6;

std::uint16_t hash_type(const Hash& hash) {
  if (hash.type == 0) return 0;
  return (hash.type & kHashedL3) != 0 ? kHashedL3 : kHashedL4;
}

}  // namespace

wire::RxCompletion completion_of(Frame frame, const Packet& packet, const Hash& hash) {
  wire::RxCompletion completion;
  completion.hash_type = hash_type(hash);
  completion.vlan_present = packet.vlan_id.has_value();
  completion.vlan_id = packet.vlan_id.value_or(0);
  completion.packets[0].hash = hash.value;
  if (packet.l3 == Layer3::ipv4) {
    completion.ip_ok = is_ip_checksum_valid(frame, packet);
    completion.ip_bad = !completion.ip_ok;
  }
  const bool l4_ok = packet.l4 != Layer4::none && is_l4_checksum_valid(frame, packet);
  completion.tcp_ok = packet.l4 == Layer4::tcp && l4_ok;
  completion.tcp_bad = packet.l4 == Layer4::tcp && !l4_ok;
  completion.udp_ok = packet.l4 == Layer4::udp && l4_ok;
  completion.udp_bad = packet.l4 == Layer4::udp && !l4_ok;
  return completion;
}

std::vector<std::uint8_t> without_tag(Frame frame) {
  constexpr std::size_t kAddresses = 12, kTag = 4;
  std::vector<std::uint8_t> untagged(frame.begin(), frame.begin() + kAddresses);
  untagged.insert(untagged.end(), frame.begin() + kAddresses + kTag, frame.end());
  return untagged;
}

}  // namespace manactl::adapter
