// SPDX-License-Identifier: MIT
//
// Backends that use descriptors: captures that are played and recorded, and TAP interfaces.

#pragma once

#include <functional>
#include <memory>

#include "adapter/link/backend.h"
#include "adapter/link/capture.h"
#include "adapter/link/clock.h"

namespace manactl::adapter {

// Delivers the frames of a capture as fast as buffers are posted: by default each once, otherwise
// `frames` in total, repeating the capture as needed. Discards transmitted frames.
std::unique_ptr<Backend> make_player(Ingress& port,
                                     std::shared_ptr<const Capture> capture,
                                     std::uint64_t frames = UINT64_MAX);

struct Recording {
  int fd = -1;              // from create_capture(); the caller closes it
  std::uint64_t start = 0;  // Unix time in nanoseconds when the clock showed 0
  // Called for the first failed write, which ends the recording.
  std::function<void(const Error&)> on_error;
};

// Records transmitted frames, then passes them to `backend`.
std::unique_ptr<Backend> make_recorder(std::unique_ptr<Backend> backend,
                                       Recording recording,
                                       const Clock& clock);

// Exchanges frames with a TAP interface. The caller closes `fd`.
std::unique_ptr<Backend> make_tap(Ingress& port, int fd);

}  // namespace manactl::adapter
