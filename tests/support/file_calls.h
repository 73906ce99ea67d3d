// SPDX-License-Identifier: MIT
//
// Records calls of libc that read and change files, and makes them fail. The linker replaces the
// functions in programs that link manactl_file_calls (option --wrap).

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace manactl::test {

// While an object exists, calls are recorded. At most one may exist at a time.
class FileCalls {
 public:
  FileCalls();
  ~FileCalls();
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;

  // Each call with the last component of its file: "write a", "fsync a", "truncate a", "rename a
  // b", "unlink a". Failed calls are included. Calls of read(2) are not recorded.
  const std::vector<std::string>& log() const { return log_; }

  // Lets `calls` calls of this text succeed, and the next one fail with `error`. For "read a" too.
  void fail(const std::string& call, int error, unsigned calls = 0);

  // read(2) and write(2) transfer at most this number of bytes per call.
  std::size_t most_bytes = SIZE_MAX;

  // For the wrappers: records the call and returns the errno with which it fails, or 0.
  int begin(const std::string& call, bool recorded = true);

 private:
  struct Failure {
    int error;
    unsigned calls;
  };

  std::vector<std::string> log_;
  std::map<std::string, Failure> failures_;
};

}  // namespace manactl::test
