// SPDX-License-Identifier: MIT
//
// Taking WQEs out of a work queue, and moving bytes through their scatter-gather lists. Nothing in
// a WQE is believed: sizes are bounded, addresses are checked by the guest's memory.

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
  std::uint32_t offset = 0;  // bytes, in the ring

  std::uint64_t data_bytes() const;
};

// A doorbell's tail, in bytes for ever. False when it cannot be: more than the ring holds.
bool post(WorkQueue& queue, std::uint32_t tail);

// The next posted WQE. No value: none is posted, or (queue.broken) it makes no sense, and `why`
// says so.
std::optional<Wqe> take(WorkQueue& queue, std::string& why);

// The bytes that the SGEs point to. No value when an SGE is not in RAM, has another key than
// `mem_key`, or there are more than `most` bytes.
std::optional<std::vector<std::uint8_t>> gather(Guest& guest,
                                                const Wqe& wqe,
                                                std::uint32_t mem_key,
                                                std::size_t most);

// Fills the SGEs from the front; answers how many bytes fitted, or no value when one is not in RAM
// or has another key.
std::optional<std::size_t> scatter(Guest& guest,
                                   const Wqe& wqe,
                                   std::uint32_t mem_key,
                                   std::span<const std::uint8_t> data);

}  // namespace manactl::azure
