// SPDX-License-Identifier: MIT
//
// Writes and reads a tree of files in memory as a tar archive. libarchive is loaded on first use.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_words.h"
#include "base/result.h"

namespace manactl::host {

struct TreeEntry {
  enum class Kind { file, link, directory } kind = Kind::file;
  std::string text;  // contents, or the link's target

  bool operator==(const TreeEntry&) const = default;
};

using TreeEntries = std::map<std::string, TreeEntry>;  // by path relative to the root

// The maximum memory for the entries of a bundle: names, contents, links and implied directories.
// It is far below kMaxMemory because reading, recording and scrubbing need several copies of them.
inline constexpr std::size_t kMaxBundle = 96U << 20;

enum class TarCompression { none, gzip, xz, zstd };

// The ends of the names of bundles, which determine how a bundle is written.
inline constexpr EnumWords<TarCompression, 5> kBundleSuffixes = {
    {{TarCompression::gzip, ".tar.gz"},
     {TarCompression::gzip, ".tgz"},
     {TarCompression::xz, ".tar.xz"},
     {TarCompression::zstd, ".tar.zst"},
     {TarCompression::none, ".tar"}}};

// Returns the compression of a bundle with this name. Empty if it is not the name of a bundle.
std::optional<TarCompression> compression_of(std::string_view path);

// Writes the entries in order of path, without times and owners: equal trees give equal bytes.
Result<> write_tarball(const TreeEntries& tree, TarCompression compression, int descriptor);

// Errc::invalid if read_tarball() would reject the tree as too large.
Result<> check_size(const TreeEntries& tree);

// The tree also has the directories that paths imply. Errc::invalid for anything but a tar,
// which gzip, xz or zstd may compress, for paths that lead out of the tree, and for more than
// kMaxBundle or 100,000 entries.
Result<TreeEntries> read_tarball(int descriptor);

}  // namespace manactl::host
