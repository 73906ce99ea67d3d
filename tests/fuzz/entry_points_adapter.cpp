// SPDX-License-Identifier: MIT
//
// Fuzzes the untrusted input of the software adapter: settings, faults, captures and rings.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

#include "adapter/adapter.h"
#include "adapter/config.h"
#include "adapter/doorbell/store_decoder.h"
#include "adapter/link/capture.h"
#include "fuzz/entry_points.h"
#include "fuzz/require.h"
#include "wire/doorbell.h"

namespace manactl::fuzz {
namespace {

using adapter::Adapter;
using adapter::Direction;

constexpr std::size_t kRing = 4096;
constexpr std::uint32_t kEntries = 64;

// Emulates a driver whose send and receive rings contain `bytes`.
class FuzzedDriver {
 public:
  explicit FuzzedDriver(std::string_view bytes) : adapter_(setup(), counters_) {
    auto& port = adapter_.port(0);
    port.connect(adapter::make_peer_link(port.receiver()));
    const auto at = reinterpret_cast<std::uint64_t>(memory_.data());
    key_ = adapter_.memory().add(at, memory_.size()).value();
    std::copy_n(bytes.begin(), std::min(bytes.size(), send_.size()), send_.begin());
    std::copy_n(bytes.rbegin(), std::min(bytes.size(), receive_.size()), receive_.begin());
    sq_ = *port.create(Direction::send, {send_.data(), kRing, send_cq_.data(), kEntries, {}});
    rq_ = *port.create(Direction::receive,
                       {receive_.data(), kRing, receive_cq_.data(), kEntries, {}});
    // Static, because building its tables is slow. The id of the queue is the same in each adapter.
    static const adapter::Rss rss({}, {rq_.wq});
    port.receiver().set_rss(rss);
  }

  // Writes a valid header and one valid SGE, so that the fuzzer reaches more code of the adapter.
  void write_valid_wqe(std::size_t unit, std::uint8_t sges) {
    const auto at = unit * wire::kBasicUnit;
    const auto header = *wire::encode(wire::WqeHeader{.num_sge = sges});
    std::ranges::copy(header, send_.begin() + static_cast<std::ptrdiff_t>(at));
    const wire::Sge sge{reinterpret_cast<std::uint64_t>(memory_.data()), key_, 60};
    const auto list = *wire::encode(sge);
    std::ranges::copy(list, send_.begin() + static_cast<std::ptrdiff_t>(at + 16));
  }

  void ring(std::uint32_t tail) {
    auto& port = adapter_.port(0);
    port.ring(0x400, rq_.wq | (std::uint64_t{tail} << 32U));
    port.ring(0, sq_.wq | (std::uint64_t{tail} << 32U));
    port.ring(tail % kRing, tail);
    for (const std::uint32_t offset : {0x10U, 0x410U, 0x810U}) {
      port.ring(offset, adapter::short_id(sq_.wq) << 16U | (tail & 0xffffU));
      port.ring(offset, adapter::short_id(rq_.cq) << 16U | (tail & 0xffffU));
    }
  }

  void check() const {
    const auto& port = counters_.port[0];
    require(port.tx_completions <= port.tx_packets + port.tx_errors);
    require(port.rx_packets == port.rx_completions);
  }

 private:
  static adapter::AdapterSetup setup() {
    adapter::AdapterSetup setup;
    setup.ports.push_back({});
    return setup;
  }

  adapter::AdapterCounters counters_{};
  Adapter adapter_;
  std::vector<std::uint8_t> send_ = std::vector<std::uint8_t>(kRing), receive_ = send_;
  std::vector<std::uint8_t> send_cq_ = std::vector<std::uint8_t>(kEntries * wire::kCqeBytes);
  std::vector<std::uint8_t> receive_cq_ = send_cq_;
  std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(2048);
  std::uint32_t key_ = 0;
  adapter::QueueIds sq_, rq_;
};

// Requires that the frames of a parsed capture lie inside its bytes.
void capture(const std::vector<std::uint8_t>& bytes) {
  const auto parsed = adapter::parse_capture(bytes);
  if (!parsed) return require(!parsed.error().message.empty());
  require(!parsed->frames.empty());
  const std::less_equal<> ordered;
  for (const auto& frame : parsed->frames) {
    require(frame.size() >= 14 && frame.size() <= adapter::kMaxFrameBytes);
    require(ordered(parsed->bytes.data(), frame.data()));
    require(ordered(frame.data() + frame.size(), parsed->bytes.data() + parsed->bytes.size()));
  }
}

}  // namespace

void adapter(std::string_view input) {
  const auto config = adapter::Config::parse(input);
  require(config.has_value() || !config.error().message.empty());
  const auto fault = adapter::Fault::parse(input);
  require(fault.has_value() || !fault.error().message.empty());

  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  const auto store = adapter::decode_store(bytes);
  require(!store || (store->length <= bytes.size() && store->reg < 16));

  capture(bytes);

  FuzzedDriver driver(input);
  const std::uint32_t first = bytes.empty() ? 0 : bytes[0];
  if (first % 2 != 0) driver.write_valid_wqe(first % 3, static_cast<std::uint8_t>(first % 5));
  driver.ring(first % 4 * wire::kBasicUnit + (first > 250 ? 1U : 0U));
  driver.ring(static_cast<std::uint32_t>(bytes.size()) * wire::kBasicUnit);
  driver.check();
}

}  // namespace manactl::fuzz
