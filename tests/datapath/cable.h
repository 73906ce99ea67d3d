// SPDX-License-Identifier: MIT
//
// Two interfaces joined by a cable, in a network namespace of the test's own, and a look at what
// passes there.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace manactl::datapath {

inline constexpr const char* kSenderMac = "02:00:00:00:00:0a";

// A program that is found in PATH; true when it ended well.
bool run_tool(const std::string& program, std::vector<std::string> words);

// ip(8) of iproute2 with these words.
bool ip(std::vector<std::string> words);

// "sender", whose frames arrive at "receiver", in a new namespace of this process.
void make_cable();

// The same in the namespace that there is, after it was deleted.
void lay_cable();

// An interface seen from outside: frames with all their bytes but the FCS, as a capture has them.
class Listener {
 public:
  explicit Listener(const char* interface);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  void send(const std::vector<std::uint8_t>& frame) const;
  std::vector<std::uint8_t> next() const;                  // waits; empty when nothing comes
  std::vector<std::vector<std::uint8_t>> waiting() const;  // all that came until now

 private:
  int socket_;
};

}  // namespace manactl::datapath
