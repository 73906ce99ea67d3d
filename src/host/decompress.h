// SPDX-License-Identifier: MIT
//
// Reads compressed logs, such as those that logrotate leaves. libarchive is loaded on first use.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/byte_source.h"

namespace manactl::host {

// Bytes of memory as a stream. They must outlive it.
class MemorySource final : public ByteSource {
 public:
  // With `newline`, the stream has the newline that os::Files::read() has removed. It may be a byte
  // of compressed data.
  explicit MemorySource(std::string_view text, bool newline = false)
      : text_(text), newline_(newline) {}

  Result<std::size_t> read(std::span<char> into) override;

 private:
  std::string_view text_;
  bool newline_;
};

// The most bytes that a compressed log may contain.
inline constexpr std::uint64_t kMaxDecompressed = 1ULL << 30U;

// Returns a source with the contents of `source`, which it decompresses if the first bytes are
// those of gzip, bzip2, xz, zstd or lz4. Reading fails with Errc::invalid for damaged data and for
// more than `max` bytes.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source,
                                         std::uint64_t max = kMaxDecompressed);

}  // namespace manactl::host
