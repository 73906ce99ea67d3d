// SPDX-License-Identifier: MIT
//
// Captures: files of frames, as tcpdump and others write them in the classic pcap format.

#pragma once

#include <array>
#include <string>
#include <vector>

#include "adapter/backend.h"
#include "base/result.h"

namespace manactl::adapter {

inline constexpr std::size_t kMostFrameBytes = 9018;  // 9000 of MTU, header and tag

// Frames that point into the file's bytes. To be moved, not copied.
struct Capture {
  std::vector<std::uint8_t> bytes;
  std::vector<Frame> frames;

  Capture() = default;
  ~Capture() = default;
  Capture(Capture&&) = default;
  Capture& operator=(Capture&&) = default;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
};

// Refused, with the packet's number from 1: another format or link type, packets that were cut when
// they were captured, that no port can receive, or that the file ends in; a file without packets.
Result<Capture> parse_capture(std::vector<std::uint8_t> bytes);

// The start of a file, and what stands in front of each frame. Little endian, microseconds.
std::array<std::uint8_t, 24> capture_header();
std::array<std::uint8_t, 16> record_header(std::uint64_t nanoseconds, std::size_t bytes);

// Files of a program that is to be run. Descriptors are the caller's to close.

// Reads and checks everything.
Result<Capture> load_capture(int fd, const std::string& name);
Result<int> open_capture(const std::string& path);

// What was in the file is gone. Refused: links, and what is no file of our own.
Result<int> create_capture(const std::string& path);

// A network interface that is up, and gone when its descriptor is closed.
Result<int> open_tap(const std::string& name);

}  // namespace manactl::adapter
