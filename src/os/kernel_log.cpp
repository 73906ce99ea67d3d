// SPDX-License-Identifier: MIT

#include "os/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>

#include "base/text.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

// Decodes a leading \xNN. The kernel escapes backslashes and unprintable bytes in this way.
std::optional<char> escaped_byte(std::string_view text) {
  if (text.size() < 4 || !text.starts_with("\\x")) return std::nullopt;
  const auto byte = parse_hex(text.substr(2, 2));
  if (!byte) return std::nullopt;
  return static_cast<char>(*byte);
}

std::string unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto byte = escaped_byte(text);
    plain += byte.value_or(text.front());
    text.remove_prefix(byte ? 4 : 1);
  }
  return plain;
}

class KmsgSource final : public ByteSource {
 public:
  explicit KmsgSource(Descriptor device) : device_(std::move(device)) {}

  Result<std::size_t> read(std::span<char> into) override {
    while (pending_.empty()) {
      const auto more = next_record();
      if (!more) return tl::unexpected<Error>(more.error());
      if (!*more) return 0U;
    }
    const std::size_t count = std::min(into.size(), pending_.size());
    std::copy_n(pending_.begin(), count, into.begin());
    pending_.erase(0, count);
    return count;
  }

 private:
  // Reads one record into pending_; false at the end of the ring buffer.
  Result<bool> next_record() {
    for (;;) {
      const ssize_t got = ::read(device_.get(), record_.data(), record_.size());
      if (got != -1) {
        pending_ = format_record({record_.data(), static_cast<std::size_t>(got)});
        return got > 0;
      }
      // EPIPE: unread records were overwritten; the next read continues after them.
      if (errno == EINTR || errno == EPIPE) continue;
      if (errno == EAGAIN) return false;
      return fail_errno(errno, "cannot read '/dev/kmsg'");
    }
  }

  static constexpr std::size_t kMaxRecord = 16384;

  Descriptor device_;
  std::vector<char> record_ = std::vector<char>(kMaxRecord);  // read(2) fails if it is too short
  std::string pending_;
};

class Kmsg final : public KernelLog {
 public:
  Result<std::unique_ptr<ByteSource>> open() const override {
    Descriptor device(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!device) return fail_errno(errno, "cannot open '/dev/kmsg'");
    lseek(device.get(), 0, SEEK_DATA);  // skips records before the last "dmesg --clear"
    return std::make_unique<KmsgSource>(std::move(device));
  }
};

}  // namespace

std::string format_record(std::string_view record) {
  const auto semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return {};
  const auto fields = split(record.substr(0, semicolon), ',');
  constexpr std::size_t kTime = 2;  // fields: priority, sequence, microseconds, flags
  if (fields.size() <= kTime) return {};
  const auto time = parse_unsigned(fields[kTime]);
  if (!time) return {};
  auto text = record.substr(semicolon + 1);
  text = text.substr(0, text.find('\n'));  // the following lines are " KEY=value" pairs
  constexpr std::uint64_t kMicroseconds = 1000000;
  const auto stamp = fmt::format("[{:5}.{:06}] ", *time / kMicroseconds, *time % kMicroseconds);
  std::string lines;
  const auto plain = unescaped(text);
  for (const auto line : split(plain, '\n')) lines += fmt::format("{}{}\n", stamp, line);
  return lines;
}

std::unique_ptr<KernelLog> open_kernel_log() {
  return std::make_unique<Kmsg>();
}

}  // namespace manactl::os
