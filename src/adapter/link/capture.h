// SPDX-License-Identifier: MIT
//
// Captures in the classic pcap format (pcap-savefile(5)), as tcpdump writes them, and TAP
// interfaces. capture.cpp reads and writes the format; capture_files.cpp opens the descriptors.

#pragma once

#include <array>
#include <string>
#include <vector>

#include "adapter/net/packet.h"
#include "base/result.h"

namespace manactl::adapter {

inline constexpr std::size_t kMaxFrameBytes = 9018;  // MTU 9000 + Ethernet header + VLAN tag

// A file and its frames, which point into the file's bytes. Movable only.
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

// Rejects formats other than pcap, link types other than Ethernet, empty or truncated files, and
// packets that were truncated or that no port can receive. Errors count packets from 1.
Result<Capture> parse_capture(std::vector<std::uint8_t> bytes);

// The headers of the file and of each frame: little endian, with timestamps in microseconds.
std::array<std::uint8_t, 24> capture_header();
std::array<std::uint8_t, 16> record_header(std::uint64_t nanoseconds, std::size_t bytes);

// The callers of the functions below close the descriptors.

// Reads and checks the whole file; `name` is for errors.
Result<Capture> load_capture(int fd, const std::string& name);
Result<int> open_capture(const std::string& path);  // also checks the file

// Creates or truncates the file and writes the file header. Rejects symbolic links, files with
// several hard links, and files of other users.
Result<int> create_capture(const std::string& path);

// Opens a TAP interface and brings it up. Creates it if there is none; it then vanishes when the
// descriptor is closed.
Result<int> open_tap(const std::string& name);

}  // namespace manactl::adapter
