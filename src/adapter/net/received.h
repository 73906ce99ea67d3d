// SPDX-License-Identifier: MIT
//
// Received frames: MANA verifies checksums, hashes the flow and strips the VLAN tag.

#pragma once

#include <vector>

#include "adapter/net/packet.h"
#include "adapter/net/rss.h"
#include "wire/completion.h"

namespace manactl::adapter {

// The completion of one frame, except type, length and WQE offset.
wire::RxCompletion completion_of(Frame frame, const Packet& packet, const Hash& hash);

// Removes the 802.1Q tag after the addresses. The frame must have one.
std::vector<std::uint8_t> without_tag(Frame frame);

}  // namespace manactl::adapter
