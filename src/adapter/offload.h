// SPDX-License-Identifier: MIT
//
// What a device does to frames on their way out: checksums and VLAN tags.

#pragma once

#include <vector>

#include "adapter/packet.h"
#include "adapter/segment.h"

namespace manactl::adapter {

// In byte 8 of a long OOB: a tag is to be inserted.
inline constexpr std::uint8_t kInjectVlan = 1U << 3U;

// Writes the checksum of TCP or UDP, whichever is there, and that of IPv4 if asked for.
void fill_checksums(std::vector<std::uint8_t>& frame, bool ip_header);

// Inserts the VLAN tag that a long OOB describes.
void insert_tag(std::vector<std::uint8_t>& frame, wire::Bytes oob);

}  // namespace manactl::adapter
