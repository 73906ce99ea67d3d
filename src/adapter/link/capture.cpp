// SPDX-License-Identifier: MIT

#include "adapter/link/capture.h"

#include <utility>

namespace manactl::adapter {
namespace {

constexpr std::size_t kHeaderBytes = 24, kRecordBytes = 16;
constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4, kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kPcapng = 0x0a0d0d0a;
constexpr std::uint32_t kVersion = 2, kEthernet = 1, kSnapBytes = 65535;

std::uint32_t swapped(std::uint32_t value) {
  return __builtin_bswap32(value);
}

tl::unexpected<Error> invalid(std::string text) {
  return fail(Errc::invalid, std::move(text));
}

// Reads numbers in the byte order of the file.
class Reader {
 public:
  explicit Reader(wire::Bytes bytes) : bytes_(bytes) {}

  std::uint32_t at(std::size_t offset) const {
    const auto value = static_cast<std::uint32_t>(wire::load(bytes_, offset, 4));
    return swap_ ? swapped(value) : value;
  }

  // The magic number shows the byte order and the resolution of timestamps.
  Result<> open() {
    if (bytes_.size() < kHeaderBytes) return invalid("the file is too short for a capture");
    const auto magic = at(0);
    if (magic == kPcapng) {
      return invalid("it is a pcapng file; convert it with: editcap -F pcap IN OUT");
    }
    swap_ = magic == swapped(kMicroseconds) || magic == swapped(kNanoseconds);
    if (at(0) != kMicroseconds && at(0) != kNanoseconds) return invalid("it is not a pcap file");
    const auto version = at(4);  // major and minor, 16 bits each
    const auto major = swap_ ? version >> 16U : version & 0xffffU;
    if (major != kVersion)
      return invalid(fmt::format("pcap version {} is not supported, only version 2", major));
    if (at(20) != kEthernet) {
      return invalid(fmt::format("the link type is {}, not Ethernet (1)", at(20)));
    }
    return {};
  }

 private:
  wire::Bytes bytes_;
  bool swap_ = false;
};

Result<> check_packet(std::size_t number,
                      std::uint64_t captured,
                      std::uint64_t original,
                      std::uint64_t remaining) {
  if (captured > remaining) return invalid(fmt::format("the file ends inside packet {}", number));
  if (captured != original) {
    return invalid(
        fmt::format("packet {} was captured in part: {} of {} bytes", number, captured, original));
  }
  if (captured < kEthernetBytes || captured > kMaxFrameBytes) {
    return invalid(fmt::format(
        "packet {} has {} bytes; a port receives 14 to {}", number, captured, kMaxFrameBytes));
  }
  return {};
}

}  // namespace

Result<Capture> parse_capture(std::vector<std::uint8_t> bytes) {
  Capture capture;
  capture.bytes = std::move(bytes);
  const wire::Bytes all(capture.bytes);
  Reader reader(all);
  const auto opened = reader.open();
  if (!opened) return tl::unexpected<Error>(opened.error());
  for (auto at = kHeaderBytes; at < all.size();) {
    const auto number = capture.frames.size() + 1;
    if (all.size() - at < kRecordBytes)
      return invalid(fmt::format("the file ends inside packet {}", number));
    const auto captured = reader.at(at + 8);
    at += kRecordBytes;
    const auto checked = check_packet(number, captured, reader.at(at - 4), all.size() - at);
    if (!checked) return tl::unexpected<Error>(checked.error());
    capture.frames.push_back(all.subspan(at, captured));
    at += captured;
  }
  if (capture.frames.empty()) return invalid("the file has no packets");
  return capture;
}

std::array<std::uint8_t, kHeaderBytes> capture_header() {
  std::array<std::uint8_t, kHeaderBytes> header{};
  wire::store(header, 0, 4, kMicroseconds);
  wire::store(header, 4, 2, kVersion);
  wire::store(header, 6, 2, 4);
  wire::store(header, 16, 4, kSnapBytes);
  wire::store(header, 20, 4, kEthernet);
  return header;
}

std::array<std::uint8_t, kRecordBytes> record_header(std::uint64_t nanoseconds, std::size_t bytes) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  std::array<std::uint8_t, kRecordBytes> header{};
  wire::store(header, 0, 4, nanoseconds / kSecond);
  wire::store(header, 4, 4, nanoseconds % kSecond / 1000);
  wire::store(header, 8, 4, bytes);
  wire::store(header, 12, 4, bytes);
  return header;
}

}  // namespace manactl::adapter
