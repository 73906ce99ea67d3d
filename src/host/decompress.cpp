// SPDX-License-Identifier: MIT

#include "host/decompress.h"

#include <archive.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shared_library.h"
#include "base/text.h"

namespace manactl::host {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kBlockSize = 64U << 10;

// The functions of libarchive that read one compressed file.
struct RawReader {
  decltype(&archive_read_new) read_new;
  decltype(&archive_read_support_filter_gzip) support_gzip;
  decltype(&archive_read_support_filter_bzip2) support_bzip2;
  decltype(&archive_read_support_filter_xz) support_xz;
  decltype(&archive_read_support_filter_zstd) support_zstd;
  decltype(&archive_read_support_filter_lz4) support_lz4;
  decltype(&archive_read_support_format_raw) support_raw;
  decltype(&archive_read_support_format_empty) support_empty;
  decltype(&archive_read_open) open;
  decltype(&archive_read_next_header) next_header;
  decltype(&archive_read_data) read_data;
  decltype(&archive_read_free) read_free;
  decltype(&archive_error_string) error_string;
};

// A kind of compression, by the first bytes of a file.
struct Compression {
  std::string_view magic;
  int (*RawReader::*support)(archive*);
};

constexpr std::array<Compression, 6> kCompressions = {{
    {"\x1f\x8b"sv, &RawReader::support_gzip},
    {"BZh"sv, &RawReader::support_bzip2},
    {"\xfd"
     "7zXZ\0"sv,
     &RawReader::support_xz},
    {"\x28\xb5\x2f\xfd"sv, &RawReader::support_zstd},
    {"\x04\x22\x4d\x18"sv, &RawReader::support_lz4},
    {"\x02\x21\x4c\x18"sv, &RawReader::support_lz4},  // the older format, for initial RAM disks
}};

Result<RawReader> load_raw_reader() {
  const auto opened = SharedLibrary::open("libarchive.so.13");
  if (!opened) return because(opened.error(), "compressed logs need libarchive");
  RawReader reader{};
  FunctionBinder bind(*opened);
  bind("archive_read_new", reader.read_new);
  bind("archive_read_support_filter_gzip", reader.support_gzip);
  bind("archive_read_support_filter_bzip2", reader.support_bzip2);
  bind("archive_read_support_filter_xz", reader.support_xz);
  bind("archive_read_support_filter_zstd", reader.support_zstd);
  bind("archive_read_support_filter_lz4", reader.support_lz4);
  bind("archive_read_support_format_raw", reader.support_raw);
  bind("archive_read_support_format_empty", reader.support_empty);
  bind("archive_read_open", reader.open);
  bind("archive_read_next_header", reader.next_header);
  bind("archive_read_data", reader.read_data);
  bind("archive_read_free", reader.read_free);
  bind("archive_error_string", reader.error_string);
  if (bind.problem()) return tl::unexpected<Error>(*bind.problem());
  return reader;
}

class DecompressedSource final : public ByteSource {
 public:
  DecompressedSource(std::unique_ptr<ByteSource> source, std::uint64_t max)
      : source_(std::move(source)), max_(max), block_(kBlockSize) {}

  Result<std::size_t> read(std::span<char> into) override;

 private:
  using Archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

  // Reads the first bytes, which show whether the source is compressed.
  Result<> begin();
  Result<> open_archive(const Compression& compression);
  Result<std::size_t> read_archive(std::span<char> into);
  std::string reason() const;

  // archive_read_callback: the next block of compressed bytes.
  static la_ssize_t next_block(archive* handle, void* self, const void** block);

  std::unique_ptr<ByteSource> source_;
  std::uint64_t max_;
  std::vector<char> block_;
  std::size_t begin_ = 0, end_ = 0;  // the bytes of `block_` that were not handed out
  bool begun_ = false;
  RawReader reader_{};
  std::optional<Archive> archive_;  // of a compressed source
  std::optional<Error> failure_;    // of `source_`, behind libarchive
  bool is_empty_ = false;
  std::uint64_t total_ = 0;
};

std::string DecompressedSource::reason() const {
  // libarchive reports the truncation of an xz file so (archive_read_support_filter_xz.c).
  constexpr std::string_view kNoProgress = "No progress is possible";
  const char* found = reader_.error_string(archive_->get());
  const std::string_view text = found == nullptr ? "damaged" : found;
  const bool is_truncated = text.find(kNoProgress) != std::string_view::npos;
  return fmt::format("cannot decompress it: {}",
                     is_truncated ? "truncated xz input" : printable(text));
}

Result<std::size_t> DecompressedSource::read(std::span<char> into) {
  if (!begun_) {
    begun_ = true;
    const auto good = begin();
    if (!good) return tl::unexpected<Error>(good.error());
  }
  if (archive_) return read_archive(into);
  if (begin_ == end_) return source_->read(into);
  const auto count = std::min(into.size(), end_ - begin_);
  std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(begin_), count, into.begin());
  begin_ += count;
  return count;
}

Result<> DecompressedSource::begin() {
  constexpr std::size_t kLongestMagic = 6;
  while (end_ < kLongestMagic) {
    const auto got = source_->read(std::span(block_).subspan(end_));
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) break;
    end_ += *got;
  }
  const std::string_view head(block_.data(), end_);
  const auto* const found = std::ranges::find_if(
      kCompressions, [head](const Compression& one) { return head.starts_with(one.magic); });
  return found == kCompressions.end() ? Result<>() : open_archive(*found);
}

Result<> DecompressedSource::open_archive(const Compression& compression) {
  const auto reader = load_raw_reader();
  if (!reader) return tl::unexpected<Error>(reader.error());
  reader_ = *reader;
  archive_.emplace(reader_.read_new(), reader_.read_free);
  if (!*archive_) return fail(Errc::io, "cannot allocate an archive");
  auto* handle = archive_->get();
  // ARCHIVE_WARN: libarchive was built without the library and would start a program instead.
  const auto support_compression = reader_.*compression.support;
  const bool is_supported = support_compression(handle) == ARCHIVE_OK &&
                            reader_.support_raw(handle) == ARCHIVE_OK &&
                            reader_.support_empty(handle) == ARCHIVE_OK;
  if (!is_supported) return fail(Errc::invalid, reason());
  archive_entry* entry = nullptr;
  if (reader_.open(handle, this, nullptr, &DecompressedSource::next_block, nullptr) == ARCHIVE_OK) {
    const int found = reader_.next_header(handle, &entry);
    is_empty_ = found == ARCHIVE_EOF;  // a rotated log without a line
    if (found == ARCHIVE_OK || is_empty_) return {};
  }
  return failure_ ? tl::unexpected<Error>(*failure_) : fail(Errc::invalid, reason());
}

la_ssize_t DecompressedSource::next_block(archive* /*handle*/, void* self, const void** block) {
  auto& source = *static_cast<DecompressedSource*>(self);
  *block = source.block_.data();
  if (source.begin_ < source.end_) {  // the bytes that begin() has read
    source.begin_ = source.end_;
    return static_cast<la_ssize_t>(source.end_);
  }
  const auto got = source.source_->read(source.block_);
  if (got) return static_cast<la_ssize_t>(*got);
  source.failure_ = got.error();
  return ARCHIVE_FATAL;
}

Result<std::size_t> DecompressedSource::read_archive(std::span<char> into) {
  if (is_empty_) return 0;
  const auto count = reader_.read_data(archive_->get(), into.data(), into.size());
  if (count < 0) return failure_ ? tl::unexpected<Error>(*failure_) : fail(Errc::invalid, reason());
  total_ += static_cast<std::uint64_t>(count);
  if (total_ > max_) {
    return fail(Errc::invalid, fmt::format("it contains more than {}", human_bytes(max_)));
  }
  return static_cast<std::size_t>(count);
}

}  // namespace

Result<std::size_t> MemorySource::read(std::span<char> into) {
  if (text_.empty() && std::exchange(newline_, false)) text_ = "\n";
  const auto count = text_.copy(into.data(), into.size());
  text_.remove_prefix(count);
  return count;
}

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source, std::uint64_t max) {
  return std::make_unique<DecompressedSource>(std::move(source), max);
}

}  // namespace manactl::host
