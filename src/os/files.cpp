// SPDX-License-Identifier: MIT

#include "os/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "base/text.h"
#include "os/open_in_root.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

using Directory = Owned<DIR, closedir>;

constexpr int kMaxLinks = 40;  // MAXSYMLINKS of linux/namei.h

// The limit of canonical(): the bytes of all paths that it looks up and of all links that it
// follows, and kStep for each component. A file in sysfs needs less than 8 KiB.
constexpr std::size_t kMaxWork = 64U << 10U;
constexpr std::size_t kStep = 32;

// Uses plain openat(2) below "/". Below any other root, paths are resolved as if chrooted there, so
// that a captured tree cannot refer to files of this machine.
class DiskFiles final : public Files {
 public:
  DiskFiles(Descriptor root, std::string name, bool live)
      : root_(std::move(root)), name_(std::move(name)), live_(live) {}

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override;
  Result<std::string> link_target(std::string_view path) const override;
  Result<std::vector<std::string>> list(std::string_view dir) const override;
  Result<Node> node(std::string_view path) const override;
  Result<> write(std::string_view path, std::string_view text) override;

 private:
  // open_below() and open_regular() return a descriptor, or -1 with errno set.
  int open_below(const std::string& path, int flags) const;
  int open_regular(const std::string& path, int flags) const;
  std::string doing(std::string_view what, std::string_view path) const;

  Descriptor root_;
  std::string name_;  // ends in '/'
  bool live_;
};

// Makes a path relative: openat(2) would resolve an absolute path from "/" of this machine.
std::string relative(std::string_view path) {
  const auto first = path.find_first_not_of('/');
  return first == std::string_view::npos ? "." : std::string(path.substr(first));
}

int DiskFiles::open_below(const std::string& path, int flags) const {
  flags |= O_CLOEXEC;
  // openat2(2) rejects O_NOCTTY together with O_PATH.
  if ((flags & O_PATH) == 0) flags |= O_NOCTTY;
  if (!live_) return open_in_root(root_.get(), path, flags);
  for (;;) {
    const int opened = openat(root_.get(), path.c_str(), flags);
    if (opened != -1 || errno != EINTR) return opened;
  }
}

// A captured tree may contain any type of file. Opening a FIFO blocks, and opening a device node
// affects this machine, so this function first checks the type with an O_PATH descriptor.
int DiskFiles::open_regular(const std::string& path, int flags) const {
  struct stat status{};

  if (live_) {
    Descriptor opened(open_below(path, flags | O_NONBLOCK));
    if (!opened || fstat(opened.get(), &status) != 0) return -1;
    if (S_ISREG(status.st_mode)) return opened.release();
  } else {
    const Descriptor found(open_below(path, O_PATH));
    if (!found || fstat(found.get(), &status) != 0) return -1;
    if (S_ISREG(status.st_mode)) {
      const auto self = fmt::format("/proc/self/fd/{}", found.get());
      return open(self.c_str(), flags | O_CLOEXEC | O_NONBLOCK);
    }
  }
  errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  return -1;
}

std::string DiskFiles::doing(std::string_view what, std::string_view path) const {
  return fmt::format("cannot {} '{}{}'", what, printable(name_), printable(relative(path)));
}

Result<std::string> DiskFiles::read(std::string_view path, std::size_t max_bytes) const {
  const Descriptor file(open_regular(relative(path), O_RDONLY));
  if (!file) return fail_errno(errno, doing("read", path));
  std::string text;
  // st_size is 4096 in sysfs and 0 in procfs, so read until the end of the file.
  std::array<char, 4096> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  for (;;) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got == -1 && errno == EINTR) continue;
    if (got == -1) return fail_errno(errno, doing("read", path));
    if (got == 0) break;
    if (text.size() + static_cast<std::size_t>(got) > max_bytes) {
      return fail(
          Errc::invalid,
          fmt::format("{}: it is larger than {}", doing("read", path), human_bytes(max_bytes)));
    }

    struct stat status{};

    // sysfs returns one page per read; reserve memory to avoid copying 5 MB of BTF repeatedly.
    constexpr ssize_t kPage = 4096;
    if (text.empty() && got >= kPage && fstat(file.get(), &status) == 0 && status.st_size > 0) {
      text.reserve(std::min(static_cast<std::size_t>(status.st_size), max_bytes));
    }
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Result<std::string> DiskFiles::link_target(std::string_view path) const {
  std::array<char, PATH_MAX> target;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
  ssize_t length = -1;
  if (live_) {
    length = readlinkat(root_.get(), relative(path).c_str(), target.data(), target.size());
  } else {
    const Descriptor link(open_below(relative(path), O_PATH | O_NOFOLLOW));
    if (!link) return fail_errno(errno, doing("read the link", path));
    length = readlinkat(link.get(), "", target.data(), target.size());
    if (length == -1 && errno == ENOENT) errno = EINVAL;  // the path exists but is not a link
  }
  if (length == -1) return fail_errno(errno, doing("read the link", path));
  return std::string(target.data(), static_cast<std::size_t>(length));
}

Result<std::vector<std::string>> DiskFiles::list(std::string_view dir) const {
  Descriptor opened(open_below(relative(dir), O_RDONLY | O_DIRECTORY));
  if (!opened) return fail_errno(errno, doing("list", dir));
  const Directory entries(fdopendir(opened.get()));
  if (!entries) return fail_errno(errno, doing("list", dir));
  opened.release();  // closedir(3) closes it
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(entries.get());  // NOLINT(concurrency-mt-unsafe): our own stream
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return fail_errno(errno, doing("list", dir));
  std::sort(names.begin(), names.end());
  return names;
}

Result<Node> DiskFiles::node(std::string_view path) const {
  const Descriptor found(open_below(relative(path), O_PATH));

  struct stat status{};

  if (!found || fstat(found.get(), &status) != 0) return fail_errno(errno, doing("stat", path));
  Node node;
  if (S_ISREG(status.st_mode)) node.type = Node::Type::file;
  if (S_ISDIR(status.st_mode)) node.type = Node::Type::directory;
  if (S_ISCHR(status.st_mode)) node.type = Node::Type::character_device;
  constexpr unsigned kPermissions = 07777;
  node.mode = status.st_mode & kPermissions;
  node.uid = status.st_uid;
  node.gid = status.st_gid;
  const auto allows = [&](int mode) {
    return faccessat(found.get(), "", mode, AT_EACCESS | AT_EMPTY_PATH) == 0;
  };
  node.readable = allows(R_OK);
  node.writable = allows(W_OK);
  return node;
}

Result<> DiskFiles::write(std::string_view path, std::string_view text) {
  const Descriptor file(open_regular(relative(path), O_WRONLY));
  if (!file) return fail_errno(errno, doing("write", path));
  ssize_t written = -1;
  do {
    written = ::write(file.get(), text.data(), text.size());
  } while (written == -1 && errno == EINTR);
  if (written == -1) return fail_errno(errno, doing("write", path));
  if (static_cast<std::size_t>(written) != text.size()) {
    return fail(Errc::io,
                fmt::format("{}: the kernel accepted only {} of {} bytes",
                            doing("write", path),
                            written,
                            text.size()));
  }
  return {};
}

// Joins `base` and `target`, resolving "." and ".."; an absolute target replaces `base`.
std::string joined(std::string_view base, std::string_view target) {
  const auto whole =
      target.starts_with('/') ? std::string(target) : fmt::format("{}/{}", base, target);
  std::vector<std::string> parts;
  for (const auto part : split(whole, '/')) {
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (part.empty() || part == "." || part == "..") continue;
    parts.emplace_back(part);
  }
  return join(parts, "/");
}

class FileStream final : public ByteSource {
 public:
  FileStream(const Files& files, std::string path, std::size_t max_bytes)
      : files_(files), path_(std::move(path)), max_bytes_(max_bytes) {}

  Result<std::size_t> read(std::span<char> into) override {
    if (!text_) {
      auto text = files_.read(path_, max_bytes_);
      if (!text) return tl::unexpected<Error>(text.error());
      text_ = std::move(*text);
    }
    const auto count = text_->copy(into.data(), into.size(), at_);
    at_ += count;
    if (at_ == text_->size()) {
      text_.emplace();  // frees the memory, which an assignment would keep
      at_ = 0;
    }
    return count;
  }

 private:
  const Files& files_;
  std::string path_;
  std::size_t max_bytes_;
  std::optional<std::string> text_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_stream(const Files& files,
                                        std::string path,
                                        std::size_t max_bytes) {
  return std::make_unique<FileStream>(files, std::move(path), max_bytes);
}

Result<std::unique_ptr<Files>> open_files(const std::string& root, const std::string& shown) {
  Descriptor opened(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));

  struct stat here{};

  struct stat top{};

  if (!opened || fstat(opened.get(), &here) != 0 || stat("/", &top) != 0) {
    return fail_errno(errno, fmt::format("cannot open the root '{}'", printable(root)));
  }
  const bool live = here.st_dev == top.st_dev && here.st_ino == top.st_ino;
  std::string name = live ? "/" : shown.empty() ? root : shown;
  if (!name.ends_with('/')) name += '/';
  return std::make_unique<DiskFiles>(std::move(opened), std::move(name), live);
}

Result<std::string> link_name(const Files& files, std::string_view path) {
  auto target = files.link_target(path);
  if (!target) return target;
  const auto name = std::string_view(*target).substr(target->rfind('/') + 1);
  if (name.empty() || name == "." || name == "..") {
    return fail(
        Errc::invalid,
        fmt::format(
            "the link '{}' has the unexpected target '{}'", printable(path), printable(*target)));
  }
  return std::string(name);
}

std::string resolve(const Files& files, std::string_view path) {
  std::string here(path);
  for (int links = 0; links < kMaxLinks; ++links) {
    const auto target = files.link_target(here);
    if (!target) return here;
    const auto slash = here.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : here.substr(0, slash);
    here = joined(parent, *target);
  }
  return here;
}

Result<std::string> canonical(std::string_view path, const TargetOf& target_of) {
  std::vector<std::string> rest;  // the next component is the last element
  std::size_t work = 0;
  const auto put_first = [&](std::string_view names) {
    work += names.size();
    if (work > kMaxWork) return false;
    const auto parts = split(names, '/');
    rest.insert(rest.end(), parts.rbegin(), parts.rend());
    return true;
  };
  const auto fail_at_limit = [&] {
    return fail(
        Errc::invalid,
        fmt::format("cannot follow '/{}': too many directories on the way", printable(path)));
  };
  if (!put_first(path)) return fail_at_limit();
  std::string here;
  int links = 0;
  while (!rest.empty()) {
    const std::string name = std::move(rest.back());
    rest.pop_back();
    if (name.empty() || name == ".") continue;
    work += here.size() + name.size() + kStep;
    if (work > kMaxWork) return fail_at_limit();
    if (name == "..") {
      const auto slash = here.rfind('/');
      here.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    auto next = here.empty() ? name : fmt::format("{}/{}", here, name);
    const auto target = target_of(next, rest.empty());
    if (!target) return tl::unexpected<Error>(target.error());
    if (!*target) {
      here = std::move(next);
      continue;
    }
    if (++links > kMaxLinks) {
      return fail_errno(ELOOP, fmt::format("cannot follow '/{}'", printable(path)));
    }
    if ((*target)->starts_with('/')) here.clear();
    if (!put_first(**target)) return fail_at_limit();
  }
  return here;
}

}  // namespace manactl::os
