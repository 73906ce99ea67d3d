// SPDX-License-Identifier: MIT

#include "device/ring.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace manactl::device {

Ring::Ring(Guest& guest, Region region, std::uint32_t bytes)
    : guest_(&guest), region_(std::move(region)), bytes_(bytes) {}

bool Ring::fits(const Region& region, std::uint32_t bytes) {
  const auto available = region.pages.size() * std::uint64_t{region.page_bytes};
  return std::has_single_bit(bytes) && bytes >= 4096 && region.complete() &&
         region.offset_in_page % 64 == 0 && bytes <= region.length &&
         region.offset_in_page + std::uint64_t{bytes} <= available;
}

Ring::Run Ring::run_at(std::uint64_t offset) const {
  const std::uint64_t at = offset % bytes_;
  const std::uint64_t byte = region_.offset_in_page + at;
  const std::uint64_t in_page = byte % region_.page_bytes;
  const std::uint64_t run = std::min<std::uint64_t>(region_.page_bytes - in_page, bytes_ - at);
  return {region_.pages[byte / region_.page_bytes] + in_page, run};
}

bool Ring::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  while (!into.empty()) {
    const auto [address, run] = run_at(offset);
    const auto piece = std::min(run, into.size());
    if (!guest_->read(address, into.first(piece))) return false;
    into = into.subspan(piece);
    offset += piece;
  }
  return true;
}

bool Ring::write(std::uint64_t offset, std::span<const std::uint8_t> from) const {
  while (!from.empty()) {
    const auto [address, run] = run_at(offset);
    const auto piece = std::min(run, from.size());
    if (!guest_->write(address, from.first(piece))) return false;
    from = from.subspan(piece);
    offset += piece;
  }
  return true;
}

bool Ring::publish(std::uint64_t offset, std::uint32_t value) const {
  return guest_->publish(run_at(offset).address, value);
}

}  // namespace manactl::device
