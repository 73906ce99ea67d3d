// SPDX-License-Identifier: MIT

#include "setup/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "base/text.h"
#include "os/owned.h"

namespace manactl::setup {
namespace {

class FileLock final : public Lock {
 public:
  explicit FileLock(os::Descriptor file) : file_(std::move(file)) {}

  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  ~FileLock() override {
    // Clears the owner's name. The file stays: if it were removed, two processes could each lock a
    // file of that name.
    if (file_ && ftruncate(file_.get(), 0) != 0) return;
  }

  void close_in_child() override { close(file_.release()); }

 private:
  os::Descriptor file_;
};

std::string owner_in(int file) {
  std::array<char, 256> text{};
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  if (got <= 0) return "another process";
  return printable(trim({text.data(), static_cast<std::size_t>(got)}), 200);
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  if (localtime_r(&now, &parts) == nullptr) return {};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

// Opens the directory of the lock. If it is missing, as in some containers, creates it with the
// mode that systemd gives /run/lock; does not create its parent.
Result<os::Descriptor> open_directory(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  constexpr mode_t kMode = 0755;
  const std::string shown = "'" + printable(path) + "'";
  os::Descriptor directory(open(path.c_str(), kFlags));
  if (!directory && errno == ENOENT) {
    const bool made = mkdir(path.c_str(), kMode) == 0;
    if (!made && errno != EEXIST) {
      return fail_errno(errno, "cannot create the lock directory " + shown);
    }
    directory = os::Descriptor(open(path.c_str(), kFlags));
    // The umask may have cleared bits of the mode.
    if (made && directory && fchmod(directory.get(), kMode) != 0) {
      return fail_errno(errno, "cannot set the mode of " + shown);
    }
  }
  if (!directory) return fail_errno(errno, "cannot open the lock directory " + shown);

  struct stat status {};

  if (fstat(directory.get(), &status) != 0) return fail_errno(errno, "cannot stat " + shown);
  // If another user could remove the lock file, two processes could lock different files of that
  // name.
  const bool shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool trusted = status.st_uid == 0 || status.st_uid == geteuid();
  if (!trusted || (shared && (status.st_mode & S_ISVTX) == 0)) {
    return fail(
        Errc::denied,
        fmt::format("users other than UID {} could remove the lock file in {}", geteuid(), shown));
  }
  return directory;
}

}  // namespace

Result<std::unique_ptr<Lock>> take_lock(const std::string& path, const std::string& command) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const std::string shown = "'" + printable(path) + "'";
  const auto slash = path.rfind('/');
  const auto directory = open_directory(path.substr(0, slash));
  if (!directory) return tl::unexpected<Error>(directory.error());
  os::Descriptor file(openat(directory->get(), path.substr(slash + 1).c_str(), kFlags, 0644));
  if (!file) return fail_errno(errno, "cannot open the lock " + shown);

  struct stat status {};

  if (fstat(file.get(), &status) != 0) return fail_errno(errno, "cannot stat " + shown);
  // In a sticky directory such as /run/lock another user may have created the file.
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) {
    return fail(Errc::denied,
                fmt::format("the lock {} is not a regular file of UID {}", shown, geteuid()));
  }
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, "cannot lock " + shown);
    return fail(
        Errc::busy,
        fmt::format("{} holds the lock {}: wait until it ends", owner_in(file.get()), shown));
  }
  const std::string owner = fmt::format(
      "process {} (manactl {}, since {})\n", getpid(), printable(command, 120), local_time());
  if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), owner.data(), owner.size(), 0) < 0) {
    return fail_errno(errno, "cannot write " + shown);
  }
  return std::make_unique<FileLock>(std::move(file));
}

}  // namespace manactl::setup
