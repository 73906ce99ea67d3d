// SPDX-License-Identifier: MIT
//
// What is at the other end of a port's cable.

#pragma once

#include <span>

#include "wire/codec.h"

namespace manactl::adapter {

using Frame = wire::Bytes;

// Where frames enter a port.
class Ingress {
 public:
  virtual ~Ingress() = default;

  // Any thread. Frames without a buffer are dropped and counted.
  virtual void deliver(std::span<const Frame> frames) = 0;
};

// What a poll brought.
struct Arrived {
  std::size_t frames = 0;
  std::uint64_t bytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // False: transmit() is never called, and nobody has to touch the bytes.
  virtual bool reads_frames() const = 0;

  // Frames that leave the port, in order; gone when it returns. Any thread.
  virtual void transmit(std::span<const Frame> frames) = 0;

  // Brings up to `budget` frames from outside. Any thread.
  virtual Arrived poll(std::size_t budget) = 0;
};

}  // namespace manactl::adapter
