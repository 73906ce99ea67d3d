// SPDX-License-Identifier: MIT
#include "datapath/dpdk/inspect.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace manactl::datapath::dpdk::inspect_test {
namespace {

// Pools are compared but not accessed. 0x3000 differs from 0x1000 and from 0x7000 in one
// bit, so that a comparison with AND or OR would fail a test.
rte_mempool* pool_at(std::uintptr_t address) {
  return reinterpret_cast<rte_mempool*>(address);
}

rte_mempool* const kPool = pool_at(0x3000);

// A burst of packets as a driver returns them.
struct Burst {
  explicit Burst(unsigned count) : packets(count) {
    for (auto& packet : packets) {
      packet.refcnt = 1;
      packet.nb_segs = 1;
      packet.data_off = 128;
      packet.port = 0xffff;
      packet.ol_flags = ~kForeignData;  // all other flags must be ignored
      packet.pkt_len = 60 + static_cast<unsigned>(&packet - packets.data());
      packet.pool = kPool;
      all.push_back(&packet);
    }
  }

  std::vector<rte_mbuf> packets;
  std::vector<rte_mbuf*> all;
};

using Inspect = BurstSummary (*)(rte_mbuf* const*, unsigned, const rte_mempool*) noexcept;

struct Implementation {
  std::string name;
  Inspect inspect;
};

void PrintTo(const Implementation& implementation, std::ostream* out) {
  *out << implementation.name;
}

class InspectBurst : public testing::TestWithParam<Implementation> {
 protected:
  static BurstSummary inspect(const Burst& burst) {
    const auto count = static_cast<unsigned>(burst.all.size());
    return GetParam().inspect(burst.all.data(), count, kPool);
  }
};

constexpr unsigned kMaxCount = 33;  // odd, and more than the eight packets of a loop iteration

TEST_P(InspectBurst, AddsUpTheBytesOfPoolablePackets) {
  std::uint64_t bytes = 0;
  for (unsigned count = 1; count <= kMaxCount; ++count) {
    bytes += 60 + count - 1;
    const auto summary = inspect(Burst(count));
    EXPECT_EQ(summary.bytes, bytes) << count;
    EXPECT_TRUE(summary.poolable) << count;
  }
}

// Tests each reason why a packet is not poolable, at every position of the burst.
TEST_P(InspectBurst, DetectsAPacketThatIsNotPoolable) {
  const std::pair<const char*, std::function<void(rte_mbuf&)>> reasons[] = {
      {"two references", [](rte_mbuf& packet) { packet.refcnt = 2; }},
      {"many references", [](rte_mbuf& packet) { packet.refcnt = 0x8001; }},
      {"two segments", [](rte_mbuf& packet) { packet.nb_segs = 2; }},
      {"indirect", [](rte_mbuf& packet) { packet.ol_flags |= RTE_MBUF_F_INDIRECT; }},
      {"external buffer", [](rte_mbuf& packet) { packet.ol_flags |= RTE_MBUF_F_EXTERNAL; }},
      {"pool at a lower address", [](rte_mbuf& packet) { packet.pool = pool_at(0x1000); }},
      {"pool at a higher address", [](rte_mbuf& packet) { packet.pool = pool_at(0x7000); }},
  };
  for (const auto& [name, change] : reasons) {
    for (unsigned count = 1; count <= kMaxCount; ++count) {
      for (unsigned at = 0; at < count; ++at) {
        Burst burst(count);
        change(burst.packets[at]);
        EXPECT_FALSE(inspect(burst).poolable) << name << ", packet " << at << " of " << count;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(,
                         InspectBurst,
                         testing::Values(Implementation{"each", inspect_each},
                                         Implementation{"vectorized", inspect_vectorized}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace manactl::datapath::dpdk::inspect_test
