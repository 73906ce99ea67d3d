// SPDX-License-Identifier: MIT
#include "datapath/dpdk/look.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace manactl::datapath::dpdk {
namespace {

// Only compared. The bits of one address may be among those of another, either way.
rte_mempool* pool_at(std::uintptr_t address) {
  return reinterpret_cast<rte_mempool*>(address);
}

rte_mempool* const kPool = pool_at(0x3000);

// A burst of packets as a driver gives them.
struct Burst {
  explicit Burst(unsigned count) : packets(count) {
    for (auto& packet : packets) {
      packet.refcnt = 1;
      packet.nb_segs = 1;
      packet.data_off = 128;
      packet.port = 0xffff;
      packet.ol_flags = ~kElsewhere;  // all that may be said of a packet and is no business of ours
      packet.pkt_len = 60 + static_cast<unsigned>(&packet - packets.data());
      packet.pool = kPool;
      all.push_back(&packet);
    }
  }

  std::vector<rte_mbuf> packets;
  std::vector<rte_mbuf*> all;
};

using Look = Seen (*)(rte_mbuf* const*, unsigned, const rte_mempool*) noexcept;

struct Way {
  std::string name;
  Look look;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class LookTest : public testing::TestWithParam<Way> {
 protected:
  static Seen look(const Burst& burst) {
    const auto count = static_cast<unsigned>(burst.all.size());
    return GetParam().look(burst.all.data(), count, kPool);
  }
};

constexpr unsigned kMost = 33;  // more than one round of four, and odd

TEST_P(LookTest, AddsTheBytesOfWholePackets) {
  std::uint64_t bytes = 0;
  for (unsigned count = 1; count <= kMost; ++count) {
    bytes += 60 + count - 1;
    const auto seen = look(Burst(count));
    EXPECT_EQ(seen.bytes, bytes) << count;
    EXPECT_TRUE(seen.whole) << count;
  }
}

// A packet that must not go back as it is, wherever in the burst it stands.
TEST_P(LookTest, SeesThePacketThatIsNotWhole) {
  const std::pair<const char*, std::function<void(rte_mbuf&)>> reasons[] = {
      {"shared by two", [](rte_mbuf& packet) { packet.refcnt = 2; }},
      {"shared by many", [](rte_mbuf& packet) { packet.refcnt = 0x8001; }},
      {"two segments", [](rte_mbuf& packet) { packet.nb_segs = 2; }},
      {"attached to another", [](rte_mbuf& packet) { packet.ol_flags |= RTE_MBUF_F_INDIRECT; }},
      {"bytes elsewhere", [](rte_mbuf& packet) { packet.ol_flags |= RTE_MBUF_F_EXTERNAL; }},
      {"of a pool below", [](rte_mbuf& packet) { packet.pool = pool_at(0x1000); }},
      {"of a pool above", [](rte_mbuf& packet) { packet.pool = pool_at(0x7000); }},
  };
  for (const auto& [name, spoil] : reasons) {
    for (unsigned count = 1; count <= kMost; ++count) {
      for (unsigned at = 0; at < count; ++at) {
        Burst burst(count);
        spoil(burst.packets[at]);
        EXPECT_FALSE(look(burst).whole) << name << ", packet " << at << " of " << count;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(,
                         LookTest,
                         testing::Values(Way{"plainly", look_plainly},
                                         Way{"quickly", look_quickly}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace manactl::datapath::dpdk
