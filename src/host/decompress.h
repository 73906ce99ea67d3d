// SPDX-License-Identifier: MIT
//
// Reads compressed logs, such as those that logrotate leaves. libarchive is loaded on first use.

#pragma once

#include <cstdint>
#include <memory>

#include "base/byte_source.h"

namespace manactl::host {

// The most bytes that a compressed log may contain.
inline constexpr std::uint64_t kMaxDecompressed = 1ULL << 30U;

// Returns a source with the contents of `source`, which it decompresses if the first bytes are
// those of gzip, bzip2, xz or zstd. Reading fails with Errc::invalid for damaged data, for more
// than `max` bytes, and for the archive of a bundle.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source,
                                         std::uint64_t max = kMaxDecompressed);

}  // namespace manactl::host
