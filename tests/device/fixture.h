// SPDX-License-Identifier: MIT
//
// A device with two ports, with its guest and driver.

#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "device/driver.h"

namespace manactl::device {

inline std::vector<std::uint8_t> frame_to(const std::array<std::uint8_t, 6>& mac,
                                          std::size_t bytes = 98) {
  std::vector<std::uint8_t> frame(bytes);
  for (std::size_t i = 0; i < bytes; ++i) frame[i] = static_cast<std::uint8_t>(i * 7);
  std::ranges::copy(mac, frame.begin());
  return frame;
}

class DeviceTest : public testing::Test {
 protected:
  explicit DeviceTest(std::vector<std::string> arguments = {})
      : options(with_path(std::move(arguments))) {}

  static Options with_path(std::vector<std::string> arguments) {
    arguments.emplace_back("socket");
    const auto parsed = parse_options(arguments);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
    return parsed.value_or(Options{});
  }

  Options options;
  MemoryGuest guest;
  std::vector<std::string> lines;
  Trace trace{[this](const std::string& line) { lines.push_back(line); }};
  Device device{guest, options, trace};
  Driver driver{guest, device};
};

}  // namespace manactl::device
