// SPDX-License-Identifier: MIT

#include "cli/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace manactl::cli {
namespace {

class DescriptorSource final : public ByteSource {
 public:
  DescriptorSource(int number, std::string name) : number_(number), name_(std::move(name)) {}

  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  ~DescriptorSource() override {
    if (number_ != STDIN_FILENO) close(number_);
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    for (;;) {
      const auto got = ::read(number_, buffer.data(), buffer.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return fail_errno(errno, fmt::format("cannot read '{}'", name_));
    }
  }

 private:
  int number_;
  std::string name_;
};

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t length = std::min(buffer.size(), text_.size() - position_);
    std::memcpy(buffer.data(), text_.data() + position_, length);
    position_ += length;
    return length;
  }

 private:
  std::string text_;
  std::size_t position_ = 0;
};

Result<> check_kind(int number, const std::string& path, std::string_view what) {
  struct stat status {};

  if (fstat(number, &status) != 0) return fail_errno(errno, fmt::format("cannot read '{}'", path));
  const bool is_stdin = number == STDIN_FILENO;
  if (S_ISDIR(status.st_mode)) {
    return fail(Errc::invalid, fmt::format("'{}' is a directory, not {}", path, what));
  }
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !is_stdin) {
    return fail(Errc::invalid, fmt::format("'{}' is a device, not {}", path, what));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_input(const std::string& path, std::string_view what) {
  const std::string shown = printable(path, 200);
  if (path == "-") {
    auto good = check_kind(STDIN_FILENO, shown, what);
    if (!good) return tl::unexpected<Error>(good.error());
    return std::make_unique<DescriptorSource>(STDIN_FILENO, "standard input");
  }
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (number < 0) {
    auto error = fail_errno(errno, fmt::format("cannot read '{}'", shown)).value();
    // A missing input file is a usage error.
    if (error.code == Errc::not_found) error.code = Errc::invalid;
    return tl::unexpected<Error>(std::move(error));
  }
  auto source = std::make_unique<DescriptorSource>(number, shown);
  auto good = check_kind(number, shown, what);
  if (!good) return tl::unexpected<Error>(good.error());
  return source;
}

Result<std::string> read_input(const std::string& path, std::string_view what) {
  constexpr std::size_t kMaxSize = 64U << 20;
  auto source = open_input(path, what);
  if (!source) return tl::unexpected<Error>(source.error());
  std::string text;
  std::vector<char> buffer(64U << 10);
  for (;;) {
    const auto got = (*source)->read(buffer);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) return text;
    text.append(buffer.data(), *got);
    if (text.size() > kMaxSize) {
      return fail(Errc::invalid, fmt::format("'{}' is larger than 64 MiB", printable(path, 200)));
    }
  }
}

Result<std::unique_ptr<ByteSource>> open_captured_log(const os::Files& files,
                                                      const std::string& path) {
  constexpr std::size_t kMaxSize = 64U << 20;
  auto text = files.read(path, kMaxSize);
  if (!text) return tl::unexpected<Error>(text.error());
  return std::make_unique<TextSource>(std::move(*text));
}

Result<std::size_t> ExcerptSource::read(std::span<char> buffer) {
  auto got = source_.read(buffer);
  if (got) remember({buffer.data(), *got});
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
  return fmt::format("{}\n[{} bytes omitted]\n{}", head_, omitted_, tail_);
}

}  // namespace manactl::cli
