// SPDX-License-Identifier: MIT

#include "cli/input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/input_file.h"
#include "base/text.h"

namespace manactl::cli {
namespace {

class DescriptorSource final : public ByteSource {
 public:
  // Reads standard input if `file` is empty.
  DescriptorSource(Descriptor file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    const int number = file_ ? file_.get() : STDIN_FILENO;
    for (;;) {
      const auto got = ::read(number, buffer.data(), buffer.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return fail_errno(errno, fmt::format("cannot read '{}'", name_));
    }
  }

 private:
  Descriptor file_;
  std::string name_;
};

// A log that a crash truncated may end in zeros, and logs of terminals contain escape sequences. If
// more than 5 % of the bytes are other control characters, the input is binary data.
bool is_text(std::string_view bytes) {
  constexpr std::string_view kUsual = "\t\n\v\f\r\b\x1b";
  constexpr std::size_t kBytesPerOther = 20;
  const auto others = std::ranges::count_if(bytes, [&](char c) {
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    return is_control && c != '\0' && kUsual.find(c) == std::string_view::npos;
  });
  return static_cast<std::size_t>(others) * kBytesPerOther <= bytes.size();
}

// An archive of tar begins with the header of its first file.
bool is_tar(std::string_view bytes) {
  constexpr std::size_t kMagic = 257;
  return bytes.size() > kMagic && bytes.substr(kMagic).starts_with("ustar");
}

Result<> require_text(std::string_view bytes, const std::string& path) {
  constexpr std::string_view kZip = "PK\x03\x04";
  constexpr std::string_view kEmptyZip = "PK\x05\x06";
  constexpr std::string_view kProgram =
      "\x7f"
      "ELF";
  if (bytes.starts_with(kEmptyZip)) return fail(Errc::invalid, "it is an empty zip archive");
  if (bytes.starts_with(kZip)) {
    return fail(Errc::invalid, "it is a zip archive; unpack it, and name the logs in it");
  }
  if (is_tar(bytes)) {
    return fail(Errc::invalid,
                fmt::format("it is an archive: 'manactl doctor --root {}' reads a bundle",
                            path == "-" ? "FILE" : printable(shell_word(path))));
  }
  if (bytes.starts_with(kProgram) || !is_text(bytes)) {
    return fail(Errc::invalid, "it is binary data, not a log");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_input(const std::string& path, std::string_view what) {
  if (path == "-") {
    struct stat status{};

    if (fstat(STDIN_FILENO, &status) != 0) return fail_errno(errno, "cannot read standard input");
    if (S_ISDIR(status.st_mode)) {
      return fail(Errc::invalid, fmt::format("standard input is a directory, not {}", what));
    }
    return std::make_unique<DescriptorSource>(Descriptor(), "standard input");
  }
  auto file = open_input_file(path, what);
  if (!file) return tl::unexpected<Error>(file.error());
  return std::make_unique<DescriptorSource>(std::move(*file), printable(path));
}

std::vector<std::string> extract_repeated(std::vector<std::string>& paths) {
  std::vector<std::string> first, repeated;
  for (auto& path : paths) {
    const bool is_repeated = std::ranges::any_of(first, [&path](const auto& other) {
      std::error_code failed;
      return path == other || std::filesystem::equivalent(path, other, failed);
    });
    (is_repeated ? repeated : first).push_back(std::move(path));
  }
  paths = std::move(first);
  return repeated;
}

Result<std::string> read_input(const std::string& path,
                               std::string_view what,
                               std::size_t max_bytes) {
  constexpr std::size_t kBlock = 64U << 10;
  auto source = open_input(path, what);
  if (!source) return tl::unexpected<Error>(source.error());
  std::string text;
  std::vector<char> buffer(kBlock);
  for (;;) {
    const auto got = (*source)->read(buffer);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) return text;
    text.append(buffer.data(), *got);
    if (text.size() > max_bytes) {
      return fail(Errc::invalid,
                  fmt::format("'{}' is larger than {}", printable(path), human_bytes(max_bytes)));
    }
  }
}

Result<std::size_t> TextSource::read(std::span<char> into) {
  auto got = source_->read(into);
  if (!got || begun_) return got;
  begun_ = true;
  const auto good = require_text({into.data(), *got}, path_);
  return good ? got : tl::unexpected<Error>(good.error());
}

Result<std::size_t> ExcerptSource::read(std::span<char> into) {
  auto got = source_.read(into);
  if (got) remember({into.data(), *got});
  return got;
}

void ExcerptSource::remember(std::string_view bytes) {
  const std::size_t first = std::min(bytes.size(), kMaxPart - head_.size());
  head_ += bytes.substr(0, first);
  tail_ += bytes.substr(first);
  if (tail_.size() < 2 * kMaxPart) return;
  const std::size_t cut = tail_.size() - kMaxPart;
  omitted_ += cut;
  tail_.erase(0, cut);
}

std::string ExcerptSource::excerpt() const {
  if (omitted_ == 0) return head_ + tail_;
  // Keeps whole lines, or at least whole words: --scrub does not recognize a part of an address.
  constexpr std::string_view kEnds = "\n \t";
  std::string_view head = head_, tail = tail_;
  const auto end = std::min(head.rfind('\n'), head.find_last_of(kEnds));
  head = head.substr(0, end == std::string_view::npos ? 0 : end);
  tail.remove_prefix(std::min(tail.find_first_of(kEnds), tail.size()));
  if (const auto line = tail.find('\n'); line != std::string_view::npos)
    tail.remove_prefix(line + 1);
  const auto cut = head_.size() - head.size() + tail_.size() - tail.size();
  return fmt::format("{}\n[{} bytes omitted]\n{}", head, omitted_ + cut, tail);
}

}  // namespace manactl::cli
