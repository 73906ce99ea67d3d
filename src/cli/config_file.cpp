// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cli/settings.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kLargest = 64U << 10;

// manactl runs as root: a file that somebody else may write decides nothing.
Result<> check_trust(int file, const std::string& path) {
  struct stat status {};

  if (fstat(file, &status) != 0) return fail_errno(errno, fmt::format("cannot read '{}'", path));
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, fmt::format("'{}' is not used: {}", path, why));
  };
  if (!S_ISREG(status.st_mode)) return refuse("it is not a regular file");
  if (status.st_uid != 0 && status.st_uid != geteuid()) return refuse("it does not belong to root");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return refuse("others may write to it");
  if (static_cast<std::size_t>(status.st_size) > kLargest) return refuse("it is over 64 KiB");
  return {};
}

Result<std::string> read_all(int file, const std::string& path) {
  std::string text(kLargest + 1, '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const auto got = ::read(file, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, fmt::format("cannot read '{}'", path));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return text;
}

}  // namespace

Result<std::string> read_config_file(const std::string& path) {
  // O_NONBLOCK: a FIFO in this place must not hang us before fstat can refuse it.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0 && errno == ELOOP) {
    return fail(Errc::invalid, fmt::format("'{}' is not used: it is a symbolic link", path));
  }
  if (file < 0) return fail_errno(errno, fmt::format("cannot read '{}'", path));
  const auto trusted = check_trust(file, path);
  auto text = trusted ? read_all(file, path) : Result<std::string>(tl::unexpect, trusted.error());
  close(file);
  if (!text) return text;
  if (text->size() > kLargest) {
    return fail(Errc::invalid, fmt::format("'{}' is not used: it is over 64 KiB", path));
  }
  if (text->find('\0') != std::string::npos) {
    return fail(Errc::invalid, fmt::format("'{}' is not used: it has a NUL byte", path));
  }
  if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  text->erase(std::remove(text->begin(), text->end(), '\r'), text->end());
  return text;
}

}  // namespace manactl::cli
