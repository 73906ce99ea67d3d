// SPDX-License-Identifier: MIT
//
// Received frames: MANA verifies checksums, hashes the flow and strips the VLAN tag.
// tag.

#pragma once

#include <vector>

#include "adapter/net/packet.h"
#include "adapter/net/rss.h"
#include "wire/completion.h"

namespace manactl::adapter {

// The completion of one frame, but for its type, length and WQE.
wire::RxCompletion completion_of(Frame frame, const Packet& packet, const Hash& hash);

// The frame without the 802.1Q tag after its addresses, which it must have.
std::vector<std::uint8_t> without_tag(Frame frame);

}  // namespace manactl::adapter
