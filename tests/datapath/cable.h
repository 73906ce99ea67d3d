// SPDX-License-Identifier: MIT
//
// Two connected interfaces in the test's own network namespace, and a capture of their frames.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace manactl::datapath {

inline constexpr const char* kSenderMac = "02:00:00:00:00:0a";

// Runs a program from PATH; returns true if it exits with 0.
bool run_tool(const std::string& program, std::vector<std::string> words);

// Runs ip(8) of iproute2.
bool ip(std::vector<std::string> words);

// Moves this process to a new network namespace with connected interfaces "sender" and "receiver".
void make_cable();

// Creates the two interfaces in the current namespace.
void create_cable();

// Sends and captures raw frames on an interface, without FCS.
class Listener {
 public:
  explicit Listener(const char* interface);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  void send(const std::vector<std::uint8_t>& frame) const;
  std::vector<std::uint8_t> next() const;  // waits up to 10 s; empty if none arrives
  std::vector<std::vector<std::uint8_t>> waiting() const;  // frames captured so far; does not wait

 private:
  int socket_;
};

}  // namespace manactl::datapath
