// SPDX-License-Identifier: MIT

#include "adapter/offload.h"

#include <array>

#include "adapter/checksum.h"

namespace manactl::adapter {

void fill_checksums(std::vector<std::uint8_t>& frame, bool ip_header) {
  const auto packet = inspect(frame);
  if (packet.l3 == Layer3::ipv4 && ip_header) {
    const auto at = packet.l3_offset;
    store_be(frame, at + 10, 2, 0);
    const auto header = Frame(frame).subspan(at, packet.l4_offset - at);
    store_be(frame, at + 10, 2, internet_checksum(header));
  }
  if (packet.l4 == Layer4::none || packet.l4_bytes == 0) return;
  const bool udp = packet.l4 == Layer4::udp;
  const auto at = packet.l4_offset + (udp ? 6 : 16);
  if (!udp && packet.l4_bytes < 20) return;
  // The driver left the sum of the pseudo header there; it is in the sum below.
  store_be(frame, at, 2, 0);
  const auto bytes = Frame(frame).subspan(packet.l4_offset, packet.l4_bytes);
  const auto sum = internet_checksum(bytes, pseudo_sum(frame, packet));
  store_be(frame, at, 2, udp && sum == 0 ? 0xffff : sum);
}

void insert_tag(std::vector<std::uint8_t>& frame, wire::Bytes oob) {
  const auto tag = static_cast<std::uint32_t>(wire::load(oob, 8, 4)) >> 16U;
  // PCP, DEI and VLAN id: the OOB has them from the lowest bit up.
  const auto control = ((tag & 7U) << 13U) | (((tag >> 3U) & 1U) << 12U) | (tag >> 4U);
  std::array<std::uint8_t, 4> bytes{};
  store_be(bytes, 0, 2, 0x8100);
  store_be(bytes, 2, 2, control);
  frame.insert(frame.begin() + 12, bytes.begin(), bytes.end());
}

}  // namespace manactl::adapter
