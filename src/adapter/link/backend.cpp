// SPDX-License-Identifier: MIT

#include "adapter/link/backend.h"

#include <algorithm>

namespace manactl::adapter {
namespace {

constexpr std::size_t kHeaderBytes = 14 + 20 + 8;

class Sink final : public Backend {
 public:
  bool reads_frames() const override { return false; }

  void transmit(std::span<const Frame>) override {}

  PollResult poll(std::size_t) override { return {}; }
};

class PeerLink final : public Backend {
 public:
  explicit PeerLink(Ingress& peer) : peer_(peer) {}

  bool reads_frames() const override { return true; }

  void transmit(std::span<const Frame> frames) override { peer_.deliver(frames); }

  PollResult poll(std::size_t) override { return {}; }

 private:
  Ingress& peer_;
};

// Returns a UDP frame over IPv4. Each flow has its own source address and port, so that RSS spreads
// the flows. The UDP checksum 0 means that there is none.
std::vector<std::uint8_t> flow_frame(const Generator& options, std::uint16_t flow) {
  std::vector<std::uint8_t> frame(std::max<std::size_t>(options.frame_bytes, kHeaderBytes));
  const auto put = [&](std::size_t at, std::size_t size, std::uint32_t value) {
    store_be(frame, at, size, value);
  };
  std::ranges::copy(options.destination.bytes, frame.begin());
  put(6, 4, 0x02000000);  // source MAC address, locally administered
  put(10, 2, flow);
  put(12, 2, 0x0800);
  put(14, 1, 0x45);
  put(16, 2, static_cast<std::uint32_t>(frame.size() - 14));
  put(22, 1, 64);
  put(23, 1, 17);
  put(26, 4, 0xc6120000U + flow);  // 198.18.0.0/15, for benchmarks (RFC 2544)
  put(30, 4, 0xc613ffffU);
  put(24, 2, internet_checksum(Frame(frame).subspan(14, 20)));
  put(34, 2, 1024U + flow);
  put(36, 2, 9);
  put(38, 2, static_cast<std::uint32_t>(frame.size() - 34));
  return frame;
}

class GeneratorBackend final : public Backend {
 public:
  GeneratorBackend(Ingress& port, const Generator& options)
      : port_(port), remaining_(options.frames) {
    for (std::uint16_t flow = 0; flow < std::max<std::uint16_t>(options.flows, 1); ++flow) {
      frames_.push_back(flow_frame(options, flow));
    }
  }

  bool reads_frames() const override { return false; }

  void transmit(std::span<const Frame>) override {}

  PollResult poll(std::size_t budget) override {
    const std::scoped_lock lock(mutex_);
    PollResult arrived;
    while (arrived.frames < budget && remaining_ > 0) {
      const auto count =
          std::min({budget - arrived.frames, kBurst, static_cast<std::size_t>(remaining_)});
      std::array<Frame, kBurst> burst;
      for (std::size_t i = 0; i < count; ++i) burst[i] = frames_[next_++ % frames_.size()];
      port_.deliver(std::span(burst).first(count));
      arrived.frames += count;
      arrived.bytes += count * frames_.front().size();
      remaining_ -= count;
    }
    return arrived;
  }

 private:
  Ingress& port_;
  std::mutex mutex_;
  std::vector<std::vector<std::uint8_t>> frames_;
  std::size_t next_ = 0;
  std::uint64_t remaining_;
};

}  // namespace

std::unique_ptr<Backend> make_sink() {
  return std::make_unique<Sink>();
}

std::unique_ptr<Backend> make_peer_link(Ingress& peer) {
  return std::make_unique<PeerLink>(peer);
}

std::unique_ptr<Backend> make_generator(Ingress& port, const Generator& options) {
  return std::make_unique<GeneratorBackend>(port, options);
}

}  // namespace manactl::adapter
