// SPDX-License-Identifier: MIT

#include "azure/model/segment.h"

#include <algorithm>
#include <optional>

namespace manactl::azure {
namespace {

constexpr std::size_t kEthernetBytes = 14;
constexpr std::uint8_t kFinPsh = 0x01 | 0x08;

std::uint32_t load_be(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = (value << 8U) | bytes[at + i];
  return value;
}

void store_be(Frame& bytes, std::size_t at, std::size_t size, std::uint32_t value) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>((value >> (8 * (size - 1 - i))) & 0xffU);
  }
}

// The ones' complement sum of 16-bit words.
std::uint32_t sum(std::span<const std::uint8_t> bytes, std::uint32_t start = 0) {
  std::uint64_t total = start;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    total += std::uint32_t{bytes[i]} << 8U;
    if (i + 1 < bytes.size()) total += bytes[i + 1];
  }
  while (total > 0xffff) total = (total & 0xffffU) + (total >> 16U);
  return static_cast<std::uint32_t>(total);
}

struct Headers {
  bool v6 = false;
  std::size_t tcp = 0;  // offset of the TCP header
};

std::optional<Headers> headers_of(std::span<const std::uint8_t> frame, std::size_t header_bytes) {
  if (header_bytes > frame.size() || header_bytes < kEthernetBytes + 40) return std::nullopt;
  const auto ethertype = load_be(frame, 12, 2);
  const auto ip = kEthernetBytes;
  if (ethertype == 0x0800 && frame[ip] >> 4U == 4 && frame[ip + 9] == 6) {
    const Headers headers{false, ip + (frame[ip] & 0xfU) * std::size_t{4}};
    if (headers.tcp >= ip + 20 && headers.tcp + 20 <= header_bytes) return headers;
  }
  if (ethertype == 0x86dd && frame[ip + 6] == 6 && ip + 60 <= header_bytes) {
    return Headers{true, ip + 40};
  }
  return std::nullopt;
}

void finish(Frame& frame, const Headers& headers, std::size_t index) {
  const auto ip = kEthernetBytes;
  const auto tcp_bytes = static_cast<std::uint32_t>(frame.size() - headers.tcp);
  const std::span<const std::uint8_t> bytes = frame;
  std::uint32_t pseudo = 6 + tcp_bytes;
  if (headers.v6) {
    store_be(frame, ip + 4, 2, tcp_bytes);
    pseudo = sum(bytes.subspan(ip + 8, 32), pseudo);
  } else {
    store_be(frame, ip + 2, 2, static_cast<std::uint32_t>(frame.size() - ip));
    store_be(frame, ip + 4, 2, load_be(frame, ip + 4, 2) + static_cast<std::uint32_t>(index));
    store_be(frame, ip + 10, 2, 0);
    store_be(frame, ip + 10, 2, ~sum(bytes.subspan(ip, headers.tcp - ip)));
    pseudo = sum(bytes.subspan(ip + 12, 8), pseudo);
  }
  store_be(frame, headers.tcp + 16, 2, 0);
  store_be(frame, headers.tcp + 16, 2, ~sum(bytes.subspan(headers.tcp), pseudo));
}

}  // namespace

std::vector<Frame> segment(std::span<const std::uint8_t> frame,
                           std::size_t header_bytes,
                           std::size_t unit) {
  const auto headers = headers_of(frame, header_bytes);
  if (!headers || unit == 0) return {};
  const auto header = frame.first(header_bytes);
  const auto payload = frame.subspan(header_bytes);
  const auto sequence = load_be(header, headers->tcp + 4, 4);
  std::vector<Frame> segments;
  for (std::size_t at = 0; at < payload.size(); at += unit) {
    const auto piece = payload.subspan(at, std::min(unit, payload.size() - at));
    Frame one(header.begin(), header.end());
    one.insert(one.end(), piece.begin(), piece.end());
    store_be(one, headers->tcp + 4, 4, sequence + static_cast<std::uint32_t>(at));
    const bool last = at + piece.size() == payload.size();
    if (!last) {
      auto& flags = one[headers->tcp + 13];
      flags = static_cast<std::uint8_t>(flags & ~unsigned{kFinPsh});
    }
    finish(one, *headers, segments.size());
    segments.push_back(std::move(one));
  }
  return segments;
}

}  // namespace manactl::azure
