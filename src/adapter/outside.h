// SPDX-License-Identifier: MIT
//
// Backends with a world outside: captures that are read and written, and network interfaces.

#pragma once

#include <functional>
#include <memory>

#include "adapter/capture.h"
#include "adapter/clock.h"

namespace manactl::adapter {

// The frames of a capture arrive as fast as there are buffers: each once, or `frames` of them again
// and again. What is transmitted is forgotten.
std::unique_ptr<Backend> make_player(Ingress& port,
                                     std::shared_ptr<const Capture> capture,
                                     std::uint64_t frames = UINT64_MAX);

struct Recording {
  int fd = -1;              // opened by create_capture(); not closed
  std::uint64_t start = 0;  // nanoseconds since 1970, when the clock was 0
  // Nothing is written after this was called.
  std::function<void(const Error&)> on_error;
};

// Writes what is transmitted, and then does with it what `backend` does.
std::unique_ptr<Backend> make_recorder(std::unique_ptr<Backend> backend,
                                       Recording recording,
                                       const Clock& clock);

// Frames go to and come from a network interface; `fd` is not closed.
std::unique_ptr<Backend> make_tap(Ingress& port, int fd);

}  // namespace manactl::adapter
