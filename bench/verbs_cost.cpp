// SPDX-License-Identifier: MIT
//
// Measures the cycles per packet of the direct-verbs engine on the software adapter. The device
// works inside the doorbell, and its cycles are subtracted. bench/verbs-cost runs this program.
//
// Usage: manactl-verbs-cost [MODE [BURSTS]]. Prints a line "MODE OWN ALL" per mode: the cycles per
// packet without and with those of the device. With BURSTS, runs that many bursts without timing,
// so that a caller can count their instructions.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "datapath/verbs/modes.h"
#include "datapath/verbs_simulated_port.h"

#undef ibv_get_device_list

extern "C" void manactl_sim_ring(const void* page, std::uint32_t offset, std::uint64_t value);

namespace {

using namespace manactl::datapath;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::uint32_t kEntries = 256, kBurst = 32;
constexpr std::size_t kChunks = 301, kBurstsOfChunk = 200;
constexpr std::size_t kFrame = 60, kSlot = 2048;

std::uint64_t device_cycles = 0;

// The device works inside the doorbell; its cycles are counted separately.
void timed_ring(const void* page, std::uint32_t offset, std::uint64_t value) {
  const auto before = __builtin_ia32_rdtsc();
  manactl_sim_ring(page, offset, value);
  device_cycles += __builtin_ia32_rdtsc() - before;
}

verbs::Library library() {
  auto made = verbs::adapter_library();
  made.doorbell = timed_ring;
  return made;
}

template <class T>
T need(manactl::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "verbs-cost: %s\n", result.error().message.c_str());
  std::exit(1);
}

struct Row {
  std::string_view name;
  verbs::Burst burst;
  std::uint16_t flows;
  std::uint32_t pattern;  // packets per repetition of the size pattern; 0: all packets are equal
};

// tx-imix repeats a pattern of 12 packets with three sizes. 12 does not divide the ring size.
constexpr Row kRows[] = {{"tx", verbs::send, 1, 0},
                         {"tx-imix", verbs::send, 1, 12},
                         {"tx-flows", verbs::send, 256, 0},
                         {"rx", verbs::receive, 1, 0},
                         {"fwd", verbs::forward, 1, 0}};

// A send and a receive queue with their packets.
struct Setup {
  explicit Setup(const Row& row)
      : context(need(verbs::Context::open_port(
            library(), first_device(), {"mana_0", "7870:00:00.0", 1, "sim0", false}))),
        memory(need(verbs::Region::make(*context, std::size_t{3} * kEntries * kSlot))),
        tx(need(verbs::SendQueue::make(*context, kEntries))),
        rx(need(verbs::ReceiveQueues::make(*context, 1, kEntries))) {
    lane.tx = &tx.ring();
    lane.rx = &rx.rings()[0];
    lane.burst = kBurst;
    write_packets(row);
    post_buffers();
    if (row.burst != verbs::send) lane.rx->post(lane.rx->entries());
  }

  void write_packets(const Row& row) {
    auto* at = memory.data();
    const auto packets = row.flows > 1 ? lane.tx->slots() : std::max(row.pattern, 1U);
    for (std::uint32_t i = 0; i < packets; ++i, at += kSlot) {
      const auto bytes = i % 12 < 7 || row.pattern == 0 ? kFrame : i % 12 < 11 ? 590U : 1514U;
      lane.send_pattern.add(*lane.tx, Flow{}, {at, bytes}, memory.key());
    }
    const auto last = kFirstSourcePort + row.flows - 1;
    lane.send_pattern.start(*lane.tx, {kFirstSourcePort, static_cast<std::uint16_t>(last)});
  }

  void post_buffers() {
    auto* at = memory.data() + std::size_t{kEntries} * kSlot;
    auto& buffers = lane.forward_buffers;
    buffers.key = memory.key();
    buffers.sending.resize(lane.tx->slots());
    for (std::uint32_t i = 0; i < 2 * kEntries; ++i, at += kSlot) {
      buffers.free.push_back(reinterpret_cast<std::uintptr_t>(at));
    }
    buffers.count = 2 * kEntries;
    for (std::uint32_t i = 0; i < lane.rx->slots(); ++i) {
      const auto buffer = buffers.free[--buffers.count];
      lane.rx->at(i) = {verbs::kOneSegment, 0, buffer, verbs::key_and_size(memory.key(), kSlot)};
    }
  }

  static ibv_device* first_device() { return ibv_get_device_list(nullptr)[0]; }

  std::unique_ptr<verbs::Context> context;
  verbs::Region memory;
  verbs::SendQueue tx;
  verbs::ReceiveQueues rx;
  verbs::Lane lane;
};

double median(std::vector<double>& chunks) {
  std::nth_element(chunks.begin(), chunks.begin() + kChunks / 2, chunks.end());
  return chunks[kChunks / 2];
}

struct Cost {
  double own = 0, all = 0;
};

// Returns the medians over all chunks, in cycles per packet.
Cost cycles_of(const Row& row) {
  Setup setup(row);
  std::vector<double> own;
  std::vector<double> all;
  for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
    device_cycles = 0;
    std::uint64_t packets = 0;
    const auto before = __builtin_ia32_rdtsc();
    for (std::size_t i = 0; i < kBurstsOfChunk; ++i) packets += row.burst(setup.lane, 0);
    const auto cycles = __builtin_ia32_rdtsc() - before;
    if (packets == 0) std::exit(1);
    own.push_back(static_cast<double>(cycles - device_cycles) / static_cast<double>(packets));
    all.push_back(static_cast<double>(cycles) / static_cast<double>(packets));
  }
  return {median(own), median(all)};
}

}  // namespace

int main(int argc, char** argv) {
  setenv("MANACTL_SIM_SETUP", "backend=generator doorbell=call engine=inline", 1);
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  std::size_t bursts = 0;
  if (argc > 2) {
    const std::string_view text = argv[2];
    std::from_chars(text.data(), text.data() + text.size(), bursts);
  }
  for (const auto& row : kRows) {
    if (!wanted.empty() && row.name != wanted) continue;
    if (bursts == 0) {
      const auto cost = cycles_of(row);
      std::printf("%s %.2f %.2f\n", row.name.data(), cost.own, cost.all);
      continue;
    }
    Setup setup(row);
    std::uint64_t packets = 0;
    for (std::size_t i = 0; i < bursts; ++i) packets += row.burst(setup.lane, 0);
    std::printf("%s %lu\n", row.name.data(), packets);
  }
  const auto violations = manactl::adapter::Simulator::get().adapter().checker().total();
  if (violations == 0) return 0;
  for (const auto& line : manactl::adapter::Simulator::get().adapter().checker().reports()) {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  return 1;
}
