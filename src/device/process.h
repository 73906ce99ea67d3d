// SPDX-License-Identifier: MIT
//
// The event loop: waits for QEMU, for a client of the console, for their messages, and for frames.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/console.h"
#include "device/front_end.h"
#include "device/listener.h"

namespace manactl::device {

// The sockets, interfaces and files that the process uses.
struct Resources {
  Listener qemu;
  std::optional<Listener> console;
  std::vector<std::pair<std::size_t, std::unique_ptr<Uplink>>> uplinks;  // with their ports
  Descriptor capture;  // records frames; none without --pcap
};

// Prints a message with the name of the program on stderr.
void print_message(std::string_view message);

class Process {
 public:
  Process(const Options& options, Resources& resources, FrontEnd& front_end, Trace& trace);

  // Serves until `stop` is readable. No guest or peer can delay that for long: each round of the
  // loop does a limited amount of work, and nothing blocks. Fails if the process cannot wait.
  Result<> run(const Descriptor& stop);

 private:
  Result<bool> serve_once(const Descriptor& stop);
  bool is_paused() const;
  Descriptor accept(Listener& listener);
  void record(std::span<const std::uint8_t> frame);
  void read_qemu();
  void serve();
  void end_without_memory();
  void disconnect();
  void read_console();

  static constexpr std::size_t kMaxLine = 4096;

  Resources& resources_;
  FrontEnd& front_end_;
  Device device_;
  Console console_;
  bool reported_accept_error_ = false;
  Descriptor client_;
  std::string input_;  // of the console, up to a newline
};

}  // namespace manactl::device
