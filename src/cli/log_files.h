// SPDX-License-Identifier: MIT
//
// Logs and other input as commands are given them: files, pipes, standard input, and logs inside a
// bundle.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "base/byte_source.h"
#include "base/result.h"
#include "os/system.h"

namespace manactl::cli {

// "-" is standard input. Errc::invalid for what is missing, a directory or a device: it is not
// `what`.
Result<std::unique_ptr<ByteSource>> open_log(const std::string& path,
                                             std::string_view what = "a log");

// All of it, read in the same way. Errc::invalid beyond 64 MiB, too.
Result<std::string> read_whole(const std::string& path, std::string_view what);

// A file of a captured system, as a source.
Result<std::unique_ptr<ByteSource>> open_captured_log(const os::Files& files,
                                                      const std::string& path);

// Passes bytes on and keeps the first and the last of them, for the bundle.
class KeepingSource final : public ByteSource {
 public:
  static constexpr std::size_t kKept = 2U << 20;  // at each end

  explicit KeepingSource(ByteSource& source) : source_(source) {}

  Result<std::size_t> read(std::span<char> into) override;

  // What was read, with a line in the middle that says how much is left out.
  std::string kept() const;

 private:
  void keep(std::string_view bytes);

  ByteSource& source_;
  std::string head_;
  std::string tail_;  // may hold up to twice kKept before it is cut
  std::uint64_t left_out_ = 0;
};

}  // namespace manactl::cli
