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

constexpr int kMostLinks = 40;  // as the kernel's MAXSYMLINKS

Descriptor open_step(int directory, const char* name, int flags) {
  for (;;) {
    Descriptor opened(openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW));
    if (opened || errno != EINTR) return opened;
  }
}

// The text of an opened link. The links of procfs that are more than their text are not told apart
// from its others, so all of them but those at the top (/proc/self, /proc/mounts) are refused.
bool read_link(int link, int directory, std::string& text) {
  struct statfs system {};

  if (fstatfs(link, &system) != 0) return false;
  if (system.f_type == PROC_SUPER_MAGIC) {
    constexpr ino_t kTopOfProcfs = 1;

    struct stat parent {};

    if (fstat(directory, &parent) != 0) return false;
    if (parent.st_ino != kTopOfProcfs) {
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

// A path on its way through a tree. Every directory on the way stays open, so that ".." is a step
// back to where the walk came from and cannot be led astray by a rename.
class Walk {
 public:
  Walk(int root, std::string_view path, int flags) : root_(root), rest_(path), flags_(flags) {}

  int open() {
    if (rest_.empty() || rest_.size() >= PATH_MAX) {
      errno = rest_.empty() ? ENOENT : ENAMETOOLONG;
      return -1;
    }
    for (;;) {
      const auto name = next();
      if (name.empty()) return finish();
      if (!take(name)) return -1;
      if (last_) return last_.release();
    }
  }

 private:
  int here() const { return way_.empty() ? root_ : way_.back().get(); }

  // The next component. What ends in "/" is a directory, and a link there is followed in any case.
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

  // False and errno, or one component further; the last one is in last_.
  bool take(const std::string& name) {
    if (name == ".") return true;
    if (name == "..") {
      if (!way_.empty()) way_.pop_back();
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
    way_.push_back(std::move(found));
    return true;
  }

  bool follow(int link) {
    std::string target;
    if (!read_link(link, here(), target)) return false;
    if (++links_ > kMostLinks) {
      errno = ELOOP;
      return false;
    }
    if (target.starts_with('/')) way_.clear();
    rest_ = target + rest_;
    return true;
  }

  // O_NOFOLLOW holds here too: a file that became a link meanwhile is refused, not followed.
  bool open_last(const std::string& name, Descriptor found) {
    if ((flags_ & O_PATH) == 0 || (flags_ & O_DIRECTORY) != 0) {
      found = open_step(here(), name.c_str(), flags_);
    }
    last_ = std::move(found);
    return static_cast<bool>(last_);
  }

  // The path ended in "." or "..", or is the root itself: a directory that is open already.
  int finish() { return open_step(here(), ".", flags_).release(); }

  int root_;
  std::string rest_;
  int flags_;
  int links_ = 0;
  std::vector<Descriptor> way_;
  Descriptor last_;
};

}  // namespace

int open_by_steps(int root, const std::string& path, int flags) {
  return Walk(root, path, flags).open();
}

int open_in_root(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: something was renamed while ".." was resolved, and the kernel cannot tell if it is
  // safe.
  constexpr int kAttempts = 100;
  for (int attempt = 0;; ++attempt) {
    const auto opened =
        static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how)));
    // EPERM: how seccomp filters answer for system calls that they do not know. If it is the file
    // that is forbidden, the steps say so again.
    if (opened < 0 && (errno == ENOSYS || errno == EPERM)) return open_by_steps(root, path, flags);
    const bool again = opened < 0 && (errno == EINTR || errno == EAGAIN);
    if (!again || attempt == kAttempts) return opened;
  }
}

}  // namespace manactl::os
