// SPDX-License-Identifier: MIT

#include "os/open_in_root.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <vector>

#include "os/owned.h"

namespace manactl::os {
namespace {

constexpr int kMaxLinks = 40;  // MAXSYMLINKS of the kernel

Descriptor open_step(int directory, const char* name, int flags) {
  for (;;) {
    Descriptor opened(openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW));
    if (opened || errno != EINTR) return opened;
  }
}

// Reads the target of an open link. Of the links in procfs, accepts only those in its top directory
// (/proc/self, /proc/mounts): below it, magic links cannot be distinguished from others.
bool read_link(int link, int directory, std::string& text) {
  struct statfs system {};

  if (fstatfs(link, &system) != 0) return false;
  if (system.f_type == PROC_SUPER_MAGIC) {
    constexpr ino_t kProcRootInode = 1;

    struct stat parent {};

    if (fstat(directory, &parent) != 0) return false;
    if (parent.st_ino != kProcRootInode) {
      errno = ELOOP;
      return false;
    }
  }
  std::array<char, PATH_MAX> target;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
  const auto length = readlinkat(link, "", target.data(), target.size());
  if (length < 0) return false;
  text.assign(target.data(), static_cast<std::size_t>(length));
  if (text.empty()) errno = ENOENT;
  return !text.empty();
}

// Resolves a path below a root. All directories of the path stay open, so that ".." returns to the
// previous one even if a directory is moved during the walk.
class PathWalk {
 public:
  PathWalk(int root, std::string_view path, int flags) : root_(root), rest_(path), flags_(flags) {}

  int open() {
    if (rest_.empty() || rest_.size() >= PATH_MAX) {
      errno = rest_.empty() ? ENOENT : ENAMETOOLONG;
      return -1;
    }
    for (;;) {
      const auto name = next();
      if (name.empty()) return finish();
      if (!step(name)) return -1;
      if (last_) return last_.release();
    }
  }

 private:
  int here() const { return directories_.empty() ? root_ : directories_.back().get(); }

  // Removes the next component from rest_ and returns it. If a slash follows the last component, it
  // must be a directory or a link to one.
  std::string next() {
    const auto begin = rest_.find_first_not_of('/');
    if (begin == std::string::npos) {
      rest_.clear();
      return {};
    }
    const auto end = std::min(rest_.find('/', begin), rest_.size());
    auto name = rest_.substr(begin, end - begin);
    rest_.erase(0, end);
    if (rest_.find_first_not_of('/') == std::string::npos && !rest_.empty()) {
      flags_ = (flags_ & ~O_NOFOLLOW) | O_DIRECTORY;
    }
    return name;
  }

  bool is_last() const { return rest_.find_first_not_of('/') == std::string::npos; }

  // Resolves one component; opens the last one as last_. On failure, sets errno and returns false.
  bool step(const std::string& name) {
    if (name == ".") return true;
    if (name == "..") {
      if (!directories_.empty()) directories_.pop_back();
      return true;
    }
    Descriptor found = open_step(here(), name.c_str(), O_PATH);

    struct stat status {};

    if (!found || fstat(found.get(), &status) != 0) return false;
    if (S_ISLNK(status.st_mode) && (!is_last() || (flags_ & O_NOFOLLOW) == 0)) {
      return follow(found.get());
    }
    if (is_last()) return open_last(name, std::move(found));
    if (!S_ISDIR(status.st_mode)) {
      errno = ENOTDIR;
      return false;
    }
    directories_.push_back(std::move(found));
    return true;
  }

  bool follow(int link) {
    std::string target;
    if (!read_link(link, here(), target)) return false;
    if (++links_ > kMaxLinks) {
      errno = ELOOP;
      return false;
    }
    if (target.starts_with('/')) directories_.clear();
    rest_ = target + rest_;
    return true;
  }

  // Opens with O_NOFOLLOW: fails if a link has replaced the file since step() checked its type.
  bool open_last(const std::string& name, Descriptor found) {
    if ((flags_ & O_PATH) == 0 || (flags_ & O_DIRECTORY) != 0) {
      found = open_step(here(), name.c_str(), flags_);
    }
    last_ = std::move(found);
    return static_cast<bool>(last_);
  }

  // Reopens the current directory, for a path that is the root or ends in "." or "..".
  int finish() { return open_step(here(), ".", flags_).release(); }

  int root_;
  std::string rest_;
  int flags_;
  int links_ = 0;
  std::vector<Descriptor> directories_;
  Descriptor last_;
};

}  // namespace

int open_by_steps(int root, const std::string& path, int flags) {
  return PathWalk(root, path, flags).open();
}

int open_in_root(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  // Retry after EAGAIN: a concurrent rename made ".." ambiguous (openat2(2)).
  constexpr int kAttempts = 100;
  for (int attempt = 0;; ++attempt) {
    const auto opened =
        static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how)));
    // EPERM: seccomp filters may return it for unknown system calls. If the file itself is
    // protected, open_by_steps() fails with EPERM as well.
    if (opened < 0 && (errno == ENOSYS || errno == EPERM)) return open_by_steps(root, path, flags);
    const bool again = opened < 0 && (errno == EINTR || errno == EAGAIN);
    if (!again || attempt == kAttempts) return opened;
  }
}

}  // namespace manactl::os
