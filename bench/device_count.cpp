// SPDX-License-Identifier: MIT
//
// manactl-device-count CHUNKS each|last [driver]: sends bursts of 32 packets of 64 bytes through
// the core of the software adapter (strict checker, inline engine, doorbells by call), with a
// completion for each packet or for the last packet of a burst. Prints the TSC cycles of the device
// per packet: the 10th percentile and the median of the chunks. With "driver", no doorbell is
// rung, so only the driver runs; bench/device-cost subtracts the instructions of such a run.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "adapter/adapter.h"
#include "base/text.h"
#include "wire/doorbell.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {

namespace wire = manactl::wire;
using manactl::adapter::Direction;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kEntries = 256, kBurst = 32, kSlotBytes = 128, kFrameBytes = 64;
constexpr std::uint32_t kBursts = 200;  // per chunk

std::uint64_t cycles() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

manactl::adapter::AdapterSetup one_port() {
  manactl::adapter::AdapterSetup setup;
  setup.ports.emplace_back();
  return setup;
}

class Driver {
 public:
  Driver(bool each, bool rings) : each_(each), rings_(rings), adapter_(one_port(), counters_) {
    const auto at = reinterpret_cast<std::uint64_t>(memory_.data());
    key_ = adapter_.memory().add(at, memory_.size()).value();
    ids_ =
        adapter_.port(0)
            .create(
                Direction::send,
                {ring_.data(), static_cast<std::uint32_t>(ring_.size()), cq_.data(), kEntries, {}})
            .value();
    prepare();
  }

  // Returns the cycles of the device per packet.
  double chunk() {
    std::uint64_t spent = 0;
    for (std::uint32_t i = 0; i < kBursts; ++i) {
      for (std::uint32_t packet = 0; packet < kBurst; ++packet) post(packet);
      const auto doorbell = wire::load(*wire::encode(wire::SqDoorbell{ids_.wq, tail_}), 0, 8);
      const auto before = cycles();
      if (rings_) adapter_.port(0).ring(0, doorbell);
      spent += cycles() - before;
    }
    return static_cast<double>(spent) / kBursts / kBurst;
  }

  bool is_correct(std::uint64_t packets) {
    return adapter_.checker().total() == 0 && counters_.port[0].tx_packets == packets;
  }

 private:
  void prepare() {
    wire::TxShortOob oob;
    oob.cq_id = ids_.cq;
    oob.sq_frame = static_cast<std::uint16_t>(ids_.wq >> 10U);
    oob.short_vport_offset = static_cast<std::uint8_t>(adapter_.port(0).vport_offset());
    const auto header = *wire::encode(wire::WqeHeader{.num_sge = 1});
    std::ranges::copy(header, template_.begin());
    std::ranges::copy(*wire::encode(oob), template_.begin() + 8);
    oob.suppress_cqe = true;
    quiet_ = *wire::encode(oob);
  }

  void post(std::uint32_t packet) {
    auto* wqe = ring_.data() + (tail_ & (ring_.size() - 1));
    std::memcpy(wqe, template_.data(), 16);
    if (!each_ && packet + 1 != kBurst) std::memcpy(wqe + 8, quiet_.data(), quiet_.size());
    const auto slot = (tail_ / wire::kBasicUnit) % kEntries * kSlotBytes;
    const auto address = reinterpret_cast<std::uint64_t>(memory_.data()) + slot;
    const std::uint32_t key_and_size[] = {key_, kFrameBytes};
    std::memcpy(wqe + 16, &address, sizeof address);
    std::memcpy(wqe + 24, key_and_size, sizeof key_and_size);
    tail_ += wire::kBasicUnit;
  }

  bool each_, rings_;
  manactl::adapter::AdapterCounters counters_{};
  manactl::adapter::Adapter adapter_;
  Bytes ring_ = Bytes(std::size_t{kEntries} * wire::kBasicUnit);
  Bytes cq_ = Bytes(std::size_t{kEntries} * wire::kCqeBytes);
  Bytes memory_ = Bytes(std::size_t{kEntries} * kSlotBytes);
  std::array<std::uint8_t, 16> template_{};
  std::array<std::uint8_t, 8> quiet_{};
  manactl::adapter::QueueIds ids_;
  std::uint32_t key_ = 0, tail_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view completions = argc > 2 ? argv[2] : "";
  const bool rings = argc < 4 || std::string_view(argv[3]) != "driver";
  const auto chunks = argc > 1 ? manactl::parse_unsigned(argv[1], 1'000'000).value_or(0) : 0;
  if (chunks == 0 || (completions != "each" && completions != "last")) {
    fmt::print(stderr, "usage: manactl-device-count CHUNKS each|last [driver]\n");
    return 2;
  }
  Driver driver(completions == "each", rings);
  std::vector<double> costs(chunks);
  for (auto& cost : costs) cost = driver.chunk();
  if (rings && !driver.is_correct(chunks * kBursts * kBurst)) {
    fmt::print(stderr, "manactl-device-count: the device reported a violation or lost packets\n");
    return 1;
  }
  std::ranges::sort(costs);
  fmt::print("{:.1f} {:.1f}\n", costs[chunks / 10], costs[chunks / 2]);
  return 0;
}
