// SPDX-License-Identifier: MIT

#include "os/open_in_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "base/path_walk.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

Descriptor open_step(int directory, const char* name, int flags) {
  for (;;) {
    Descriptor opened(openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW));
    if (opened || errno != EINTR) return opened;
  }
}

// Opens a file of a captured tree. Failures set errno.
class TreeWalk {
 public:
  TreeWalk(int root, const std::string& path, int flags)
      : is_empty_(path.empty()),
        is_too_long_(path.size() >= PATH_MAX),
        walk_(Descriptor(fcntl(root, F_DUPFD_CLOEXEC, 0)), path),
        flags_(flags) {}

  Descriptor open() {
    if (is_empty_ || is_too_long_) {
      errno = is_empty_ ? ENOENT : ENAMETOOLONG;
      return {};
    }
    for (;;) {
      const auto name = walk_.next();
      // The path is the root or ends in "." or "..": reopen the current directory.
      if (name.empty()) return open_step(walk_.here(), ".", flags_);
      if (!step(name)) return {};
      if (last_) return std::move(last_);
    }
  }

 private:
  // Resolves one component; opens the last one as last_. On failure, sets errno and returns false.
  bool step(const std::string& name) {
    if (walk_.is_followed_by_slash()) flags_ = (flags_ & ~O_NOFOLLOW) | O_DIRECTORY;
    Descriptor found = open_step(walk_.here(), name.c_str(), O_PATH);

    struct stat status{};

    if (!found || fstat(found.get(), &status) != 0) return false;
    if (S_ISLNK(status.st_mode) && (!walk_.is_last() || (flags_ & O_NOFOLLOW) == 0)) {
      return follow(found.get());
    }
    if (walk_.is_last()) return open_last(name, std::move(found));
    if (!S_ISDIR(status.st_mode)) {
      errno = ENOTDIR;
      return false;
    }
    walk_.enter(std::move(found), name);
    return true;
  }

  bool follow(int link) {
    const int error = may_be_magic_link(link, walk_.here()) ? ELOOP : walk_.follow(link);
    errno = error;
    return error == 0;
  }

  // Opens with O_NOFOLLOW: fails if a link has replaced the file since step() checked its type.
  bool open_last(const std::string& name, Descriptor found) {
    if ((flags_ & O_PATH) == 0 || (flags_ & O_DIRECTORY) != 0) {
      found = open_step(walk_.here(), name.c_str(), flags_);
    }
    last_ = std::move(found);
    return static_cast<bool>(last_);
  }

  bool is_empty_;
  bool is_too_long_;
  PathWalk walk_;
  int flags_;
  Descriptor last_;
};

}  // namespace

int open_by_steps(int root, const std::string& path, int flags) {
  return TreeWalk(root, path, flags).open().release();
}

int open_in_root(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  // Retry after EAGAIN: a concurrent rename made ".." ambiguous (openat2(2)).
  constexpr int kAttempts = 100;
  for (int attempt = 0;; ++attempt) {
    const auto opened =
        static_cast<int>(syscall(__NR_openat2, root, path.c_str(), &how, sizeof(how)));
    // EPERM: seccomp filters may return it for unknown system calls. If the file itself is
    // protected, open_by_steps() fails with EPERM as well.
    if (opened == -1 && (errno == ENOSYS || errno == EPERM))
      return open_by_steps(root, path, flags);
    const bool again = opened == -1 && (errno == EINTR || errno == EAGAIN);
    if (!again || attempt == kAttempts) return opened;
  }
}

}  // namespace manactl::os
