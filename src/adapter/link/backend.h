// SPDX-License-Identifier: MIT
//
// Backends: the far end of a port's link. Those in this file use only memory; io_backends.h
// declares those that use files and network interfaces.

#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "adapter/net/packet.h"
#include "base/ids.h"

namespace manactl::adapter {

// The most frames that a link or a backend handles at once.
inline constexpr std::size_t kBurst = 32;

// The receive side of a port, which accepts frames from a backend.
class Ingress {
 public:
  virtual ~Ingress() = default;

  // Thread-safe. Frames for which no buffer is posted are dropped and counted.
  virtual void deliver(std::span<const Frame> frames) = 0;
};

// The frames that one poll() delivered.
struct PollResult {
  std::size_t frames = 0;
  std::uint64_t bytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // False if the backend ignores transmitted frames, so that calls of transmit() may be omitted.
  virtual bool reads_frames() const = 0;

  // Accepts frames that leave the port, in order. They are valid only during the call. Thread-safe.
  virtual void transmit(std::span<const Frame> frames) = 0;

  // Delivers up to `budget` frames to the port. Thread-safe.
  virtual PollResult poll(std::size_t budget) = 0;
};

// Discards transmitted frames; the port still counts them.
std::unique_ptr<Backend> make_sink();

// Delivers transmitted frames to `peer`: the port itself, or another one.
std::unique_ptr<Backend> make_peer_link(Ingress& peer);

struct Generator {
  MacAddress destination{};
  std::uint16_t frame_bytes = 60;  // without FCS; at least 42
  std::uint16_t flows = 256;       // UDP flows, which send in turn
  std::uint64_t frames = UINT64_MAX;
};

// Delivers generated frames as fast as buffers are posted; discards transmitted frames.
std::unique_ptr<Backend> make_generator(Ingress& port, const Generator& options);

}  // namespace manactl::adapter
