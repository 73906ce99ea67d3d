// SPDX-License-Identifier: MIT

#include "adapter/net/packet.h"

#include <algorithm>

namespace manactl::adapter {
namespace {

constexpr std::uint8_t kTcp = 6, kUdp = 17;

// `end` is the offset in the frame at which the packet ends according to the IP header.
void find_l4(Frame frame, Packet& packet, std::uint8_t protocol, std::size_t end) {
  const std::size_t header = protocol == kTcp ? 20 : 8;
  if (protocol != kTcp && protocol != kUdp) return;
  if (packet.l4_offset + header > std::min(end, frame.size())) return;
  packet.l4 = protocol == kTcp ? Layer4::tcp : Layer4::udp;
  packet.l4_bytes = end <= frame.size() ? end - packet.l4_offset : 0;
}

void inspect_v4(Frame frame, Packet& packet) {
  const auto at = packet.l3_offset;
  const std::size_t header = (frame[at] & 0xfU) * std::size_t{4};
  if (frame[at] >> 4U != 4 || header < 20 || at + header > frame.size()) return;
  packet.l3 = Layer3::ipv4;
  packet.l4_offset = at + header;
  const bool fragment = (load_be(frame, at + 6, 2) & 0x3fffU) != 0;
  if (!fragment) find_l4(frame, packet, frame[at + 9], at + load_be(frame, at + 2, 2));
}

void inspect_v6(Frame frame, Packet& packet) {
  const auto at = packet.l3_offset;
  if (frame[at] >> 4U != 6 || at + 40 > frame.size()) return;
  packet.l3 = Layer3::ipv6;
  packet.l4_offset = at + 40;
  find_l4(frame, packet, frame[at + 6], at + 40 + load_be(frame, at + 4, 2));
}

}  // namespace

Packet inspect(Frame frame) {
  Packet packet;
  if (frame.size() < kEthernetBytes + kVlanBytes) return packet;
  packet.l3_offset = kEthernetBytes;
  auto type = load_be(frame, 12, 2);
  if (is_tagged(frame)) {
    packet.vlan_id = load_be(frame, 14, 2) & 0xfffU;
    type = load_be(frame, 16, 2);
    packet.l3_offset += kVlanBytes;
  }
  if (packet.l3_offset + 20 > frame.size()) return packet;
  if (type == 0x0800) inspect_v4(frame, packet);
  if (type == 0x86dd) inspect_v6(frame, packet);
  return packet;
}

bool is_ip_checksum_valid(Frame frame, const Packet& packet) {
  const auto header = frame.subspan(packet.l3_offset, packet.l4_offset - packet.l3_offset);
  return internet_sum(header) == 0xffff;
}

std::uint32_t pseudo_sum(Frame frame, const Packet& packet) {
  const bool v4 = packet.l3 == Layer3::ipv4;
  const auto addresses =
      v4 ? frame.subspan(packet.l3_offset + 12, 8) : frame.subspan(packet.l3_offset + 8, 32);
  const auto protocol = packet.l4 == Layer4::tcp ? kTcp : kUdp;
  return internet_sum(addresses, static_cast<std::uint32_t>(protocol + packet.l4_bytes));
}

bool is_l4_checksum_valid(Frame frame, const Packet& packet) {
  if (packet.l4_bytes == 0) return false;
  const bool absent = packet.l4 == Layer4::udp && packet.l3 == Layer3::ipv4 &&
                      load_be(frame, packet.l4_offset + 6, 2) == 0;
  const auto bytes = frame.subspan(packet.l4_offset, packet.l4_bytes);
  return absent || internet_sum(bytes, pseudo_sum(frame, packet)) == 0xffff;
}

}  // namespace manactl::adapter
