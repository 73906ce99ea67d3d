// SPDX-License-Identifier: MIT

#include "device/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace manactl::device {
namespace {

std::optional<Wqe> broken(WorkQueue& queue, std::string& why, std::string reason) {
  queue.broken = true;
  why = std::move(reason);
  return std::nullopt;
}

}  // namespace

std::uint64_t Wqe::data_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& sge : sges) sum += sge.size;
  return sum;
}

bool post(WorkQueue& queue, std::uint32_t tail) {
  if (tail % wire::kBasicUnit != 0 || tail - queue.next > queue.ring.bytes()) return false;
  queue.tail = tail;
  return true;
}

std::optional<Wqe> take(WorkQueue& queue, std::string& why) {
  if (queue.broken || queue.next == queue.tail) return std::nullopt;
  std::array<std::uint8_t, wire::WqeHeader::kSize> head{};
  if (!queue.ring.read(queue.next, head)) return broken(queue, why, "the ring is not in RAM");
  const auto header = wire::decode<wire::WqeHeader>(head);
  if (!header) return broken(queue, why, wire::describe(header.error()));

  const auto bytes = header->wqe_bytes();
  const auto limit = queue.is_sq ? wire::kMaxSqWqe : wire::kMaxRqWqe;
  if (bytes > limit) {
    return broken(queue, why, fmt::format("WQE of {} bytes, the maximum is {}", bytes, limit));
  }
  if (bytes > queue.tail - queue.next) {
    return broken(queue, why, fmt::format("WQE of {} bytes ends beyond the tail", bytes));
  }
  Wqe wqe{*header, std::vector<std::uint8_t>(header->oob_bytes()), {}, 0};
  wqe.offset = queue.next % queue.ring.bytes();
  std::vector<std::uint8_t> list(std::size_t{header->num_sge} * wire::Sge::kSize);
  if (!queue.ring.read(std::uint64_t{wqe.offset} + head.size(), wqe.oob) ||
      !queue.ring.read(std::uint64_t{wqe.offset} + header->sge_offset(), list)) {
    return broken(queue, why, "the ring is not in RAM");
  }
  for (std::size_t at = 0; at < list.size(); at += wire::Sge::kSize) {
    wqe.sges.push_back(*wire::decode_front<wire::Sge>(wire::Bytes(list).subspan(at)));
  }
  queue.next += bytes;
  return wqe;
}

tl::expected<std::vector<std::uint8_t>, SgeFault> gather(MemoryKeys& keys,
                                                         const Wqe& wqe,
                                                         std::optional<std::uint32_t> pd,
                                                         std::size_t max_bytes) {
  if (wqe.data_bytes() > max_bytes) return tl::unexpected(SgeFault::too_long);
  std::vector<std::uint8_t> data(static_cast<std::size_t>(wqe.data_bytes()));
  std::span<std::uint8_t> rest = data;
  for (const auto& sge : wqe.sges) {
    if (const auto fault = keys.read(sge, pd, rest.first(sge.size))) return tl::unexpected(*fault);
    rest = rest.subspan(sge.size);
  }
  return data;
}

tl::expected<std::size_t, SgeFault> scatter(MemoryKeys& keys,
                                            const Wqe& wqe,
                                            std::optional<std::uint32_t> pd,
                                            std::span<const std::uint8_t> data) {
  std::size_t done = 0;
  for (const auto& sge : wqe.sges) {
    const auto piece = std::min<std::size_t>(sge.size, data.size() - done);
    if (const auto fault = keys.write(sge, pd, data.subspan(done, piece)))
      return tl::unexpected(*fault);
    done += piece;
  }
  return done;
}

}  // namespace manactl::device
