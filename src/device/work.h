// SPDX-License-Identifier: MIT
//
// Takes WQEs out of a work queue and copies data through their SGEs. WQEs are not trusted: sizes
// are bounded, and MemoryKeys checks keys and addresses.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "device/memory_keys.h"
#include "device/queues.h"
#include "wire/work_queue.h"

namespace manactl::device {

struct Wqe {
  wire::WqeHeader header;
  std::vector<std::uint8_t> oob;
  std::vector<wire::Sge> sges;
  std::uint32_t offset = 0;  // offset in the ring, in bytes

  std::uint64_t data_bytes() const;
};

// Sets the queue's tail from a doorbell. False if more bytes would be posted than the ring holds.
bool post(WorkQueue& queue, std::uint32_t tail);

// The next posted WQE. No value if none is posted, or if it is malformed: then queue.broken and
// `why` are set.
std::optional<Wqe> take(WorkQueue& queue, std::string& why);

// The data of a WQE, at most `max_bytes`.
tl::expected<std::vector<std::uint8_t>, SgeFault> gather(MemoryKeys& keys,
                                                         const Wqe& wqe,
                                                         std::optional<std::uint32_t> pd,
                                                         std::size_t max_bytes);

// Copies data into the SGEs; returns the number of bytes that fit.
tl::expected<std::size_t, SgeFault> scatter(MemoryKeys& keys,
                                            const Wqe& wqe,
                                            std::optional<std::uint32_t> pd,
                                            std::span<const std::uint8_t> data);

}  // namespace manactl::device
