// SPDX-License-Identifier: MIT
//
// Takes WQEs out of a work queue and copies data through their SGEs. WQEs are not trusted: sizes
// are bounded, and Guest checks addresses.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "azure/model/queues.h"
#include "wire/work_queue.h"

namespace manactl::azure {

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

// The data of a WQE. No value if an SGE is not in RAM or has another key than `mem_key`, or if the
// data is longer than `max_bytes`.
std::optional<std::vector<std::uint8_t>> gather(Guest& guest,
                                                const Wqe& wqe,
                                                std::uint32_t mem_key,
                                                std::size_t max_bytes);

// Copies data into the SGEs; returns the number of bytes that fit. No value if an SGE is not in RAM
// or has another key.
std::optional<std::size_t> scatter(Guest& guest,
                                   const Wqe& wqe,
                                   std::uint32_t mem_key,
                                   std::span<const std::uint8_t> data);

}  // namespace manactl::azure
