// SPDX-License-Identifier: MIT
//
// The connection of a port to a network outside of the device: to a port of another device, or to a
// tap interface of this machine. No call blocks.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace manactl::device {

enum class UplinkKind : std::uint8_t { peer, tap };

// How a port is connected: --connect and --tap.
struct UplinkOption {
  std::size_t port = 0;
  UplinkKind kind = UplinkKind::peer;
  std::string name;  // the path of a socket, or the name of an interface

  // Parses PORT=NAME.
  static Result<UplinkOption> parse(UplinkKind kind, std::string_view text);
};

class Uplink {
 public:
  static constexpr std::size_t kMaxFrame = 9216;  // more than any MTU of a port

  // Opens the socket or the interface. The first of two devices with the same socket waits for the
  // second one.
  static Result<std::unique_ptr<Uplink>> open(const UplinkOption& option);

  virtual ~Uplink() = default;

  // Readable if receive() has something to do.
  virtual int fd() const = 0;

  // As Listener::is_paused().
  virtual bool is_paused() const { return false; }

  // Returns false if the other side cannot accept the frame now; the frame is then dropped.
  virtual bool send(std::span<const std::uint8_t> frame) = 0;

  // Returns no value if no frame is waiting. Frames longer than kMaxFrame are truncated to
  // kMaxFrame + 1.
  virtual std::optional<std::vector<std::uint8_t>> receive() = 0;
};

}  // namespace manactl::device
