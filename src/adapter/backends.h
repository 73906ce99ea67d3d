// SPDX-License-Identifier: MIT
//
// The backends without a world outside: sink, link (loopback, cross-link) and packet generator.

#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "adapter/backend.h"
#include "base/ids.h"

namespace manactl::adapter {

// Frames are counted and forgotten.
std::unique_ptr<Backend> make_sink();

// Frames arrive at `peer`: the port itself, or another one.
std::unique_ptr<Backend> make_link(Ingress& peer);

struct Generator {
  MacAddress destination{};
  std::uint16_t frame_bytes = 60;  // without FCS; at least 42
  std::uint16_t flows = 256;       // UDP flows, one frame each in turn
  std::uint64_t frames = UINT64_MAX;
};

// Frames come as fast as there are buffers; what is transmitted is forgotten.
std::unique_ptr<Backend> make_generator(Ingress& port, const Generator& options);

}  // namespace manactl::adapter
