// SPDX-License-Identifier: MIT
//
// Runs the manactl program and captures its output.

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace manactl::test {

struct Outcome {
  int code = -1;  // exit code; 128 + n if signal n killed the program
  std::string out, err;

  std::size_t error_lines() const;
};

struct ProcessOptions {
  // Tests do not save results in the user's directory.
  std::vector<std::string> environment = {"LC_ALL=C.UTF-8", "MANACTL_NO_SAVE=true"};
  std::string input;        // text for standard input
  std::string stdout_path;  // file for standard output; empty: capture it in Outcome::out
  bool stdout_closed = false;
  bool stdout_broken = false;  // standard output is a pipe without a reader, and SIGPIPE is ignored
  int signal = 0;  // sent when thread `signal_thread` has used `signal_ticks` of CPU time
  std::string signal_thread;  // part of its name
  unsigned signal_ticks = 0;  // in clock ticks (sysconf(_SC_CLK_TCK))
};

Outcome manactl(const std::vector<std::string>& arguments, const ProcessOptions& process = {});

// Runs manactl. When `file` exists, calls `act`, which returns whether it succeeded.
Outcome manactl_until(const std::vector<std::string>& arguments,
                      const std::string& file,
                      const std::function<bool()>& act,
                      const ProcessOptions& process = {});

// A temporary directory that the destructor removes.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& text, unsigned mode = 0600) const;

 private:
  std::string directory_;
};

}  // namespace manactl::test
