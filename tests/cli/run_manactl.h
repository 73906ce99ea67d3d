// SPDX-License-Identifier: MIT
//
// Runs the real program, as a shell would.

#pragma once

#include <string>
#include <vector>

namespace manactl::test {

struct Outcome {
  int code = -1;  // 128 + n for a signal
  std::string out, err;

  std::size_t error_lines() const;
};

struct Surroundings {
  // Nobody's results are changed by a test.
  std::vector<std::string> environment = {"LC_ALL=C.UTF-8", "MANACTL_NO_SAVE=true"};
  std::string input;        // standard input
  std::string stdout_path;  // else captured
  bool stdout_closed = false;
  bool stdout_broken = false;  // a pipe that nobody reads, with SIGPIPE ignored
  int signal = 0;              // sent when the thread of this name has used so many clock ticks
  std::string signal_thread;
  unsigned signal_ticks = 0;
};

Outcome manactl(const std::vector<std::string>& arguments, const Surroundings& around = {});

// A directory that goes away with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  // Writes a file and gives its path.
  std::string file(const std::string& name, const std::string& text, unsigned mode = 0600) const;

 private:
  std::string directory_;
};

}  // namespace manactl::test
