// SPDX-License-Identifier: MIT
//
// Input of commands: files, pipes and standard input.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"

namespace manactl::cli {

// Opens a file as open_input_file() of base/input_file.h does; "-" is standard input. Fails with
// Errc::invalid for a path that cannot be used. The message uses `what` to name the expected input.
Result<std::unique_ptr<ByteSource>> open_input(const std::string& path,
                                               std::string_view what = "a log");

// Removes the paths that name the same file as an earlier one, and returns them.
std::vector<std::string> extract_repeated(std::vector<std::string>& paths);

// Reads the whole input. Also fails with Errc::invalid if the input is larger than `max_bytes`.
Result<std::string> read_input(const std::string& path,
                               std::string_view what,
                               std::size_t max_bytes);

// Reads from the source of `path`. Fails with Errc::invalid if its first bytes are not those of a
// text; for an archive, the message contains the command that opens a bundle.
class TextSource final : public ByteSource {
 public:
  TextSource(std::unique_ptr<ByteSource> source, std::string path)
      : source_(std::move(source)), path_(std::move(path)) {}

  Result<std::size_t> read(std::span<char> into) override;

 private:
  std::unique_ptr<ByteSource> source_;
  std::string path_;
  bool begun_ = false;
};

// Reads from another source and keeps about the first and the last 2 MiB for the bundle.
class ExcerptSource final : public ByteSource {
 public:
  static constexpr std::size_t kMaxPart = 2U << 20;  // bytes at each end

  explicit ExcerptSource(ByteSource& source) : source_(source) {}

  Result<std::size_t> read(std::span<char> into) override;

  // Returns the bytes kept so far, as whole lines. If bytes were omitted, a line in their place
  // gives their number.
  std::string excerpt() const;

 private:
  void remember(std::string_view bytes);

  ByteSource& source_;
  std::string head_;
  std::string tail_;  // the latest bytes; cut to kMaxPart when it reaches twice that size
  std::uint64_t omitted_ = 0;
};

}  // namespace manactl::cli
