// SPDX-License-Identifier: MIT

#include "adapter/capture.h"

#include <utility>

namespace manactl::adapter {
namespace {

constexpr std::size_t kHeaderBytes = 24, kRecordBytes = 16, kEthernetBytes = 14;
constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4, kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kNextGeneration = 0x0a0d0d0a;
constexpr std::uint32_t kVersion = 2, kEthernet = 1, kSnapBytes = 65535;

std::uint32_t swapped(std::uint32_t value) {
  return __builtin_bswap32(value);
}

tl::unexpected<Error> wrong(std::string text) {
  return fail(Errc::invalid, std::move(text));
}

// Numbers of a file that this machine, or one of the other kind, wrote.
class Reader {
 public:
  explicit Reader(wire::Bytes bytes) : bytes_(bytes) {}

  std::uint32_t at(std::size_t offset) const {
    const auto value = static_cast<std::uint32_t>(wire::load(bytes_, offset, 4));
    return swap_ ? swapped(value) : value;
  }

  // The first number says who wrote it.
  Result<> open() {
    if (bytes_.size() < kHeaderBytes) return wrong("it is too short for a capture");
    const auto magic = at(0);
    if (magic == kNextGeneration) {
      return wrong("it is a pcapng file, pcap is needed: editcap -F pcap");
    }
    swap_ = magic == swapped(kMicroseconds) || magic == swapped(kNanoseconds);
    if (at(0) != kMicroseconds && at(0) != kNanoseconds) return wrong("it is no pcap file");
    const auto version = at(4);  // two halves, in an order that depends on the writer
    const auto major = swap_ ? version >> 16U : version & 0xffffU;
    if (major != kVersion) return wrong(fmt::format("version {} is not known, 2 is", major));
    if (at(20) != kEthernet) {
      return wrong(fmt::format("its link type is {}, not Ethernet (1)", at(20)));
    }
    return {};
  }

 private:
  wire::Bytes bytes_;
  bool swap_ = false;
};

Result<> check(std::size_t number, std::uint64_t held, std::uint64_t original, std::uint64_t left) {
  if (held > left) return wrong(fmt::format("it ends inside packet {}", number));
  if (held != original) {
    return wrong(fmt::format(
        "packet {} was cut when it was captured: {} of {} bytes", number, held, original));
  }
  if (held < kEthernetBytes || held > kMostFrameBytes) {
    return wrong(fmt::format(
        "packet {} has {} bytes: 14 to {} can be received", number, held, kMostFrameBytes));
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
      return wrong(fmt::format("it ends inside packet {}", number));
    const auto held = reader.at(at + 8);
    at += kRecordBytes;
    const auto good = check(number, held, reader.at(at - 4), all.size() - at);
    if (!good) return tl::unexpected<Error>(good.error());
    capture.frames.push_back(all.subspan(at, held));
    at += held;
  }
  if (capture.frames.empty()) return wrong("there are no packets in it");
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
