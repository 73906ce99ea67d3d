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
#include "base/trusted_directory.h"
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

// Opens a file that other users cannot open, in a directory that they cannot write to. With a
// descriptor for reading, another user could take the lock with flock(2).
Result<os::Descriptor> open_lock(const std::string& path) {
  constexpr mode_t kDirectoryMode = 0700, kFileMode = 0600;
  const auto place = split_file_path(path);
  if (!place) return tl::unexpected<Error>(place.error());
  const auto directory = TrustedDirectory::open(place->directory, Trust::exclusive, kDirectoryMode);
  if (!directory) return tl::unexpected<Error>(directory.error());
  auto file = directory->open_file(place->name, O_RDWR | O_CREAT, kFileMode);
  // No other user can have created the file, so it is safe to correct its mode.
  if (file && fchmod(file->get(), kFileMode) != 0) return fail_errno(errno, "cannot set its mode");
  return file;
}

}  // namespace

Result<std::unique_ptr<Lock>> take_lock(const std::string& path, const std::string& command) {
  const std::string shown = "'" + printable(path) + "'";
  auto opened = open_lock(path);
  if (!opened) return because(opened.error(), "cannot use the lock " + shown);
  auto file = std::move(*opened);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, "cannot lock " + shown);
    return fail(
        Errc::busy,
        fmt::format("{} holds the lock {}: wait until it ends", owner_in(file.get()), shown));
  }
  const std::string owner = fmt::format(
      "process {} (manactl {}, since {})\n", getpid(), printable(command, 120), local_time());
  const auto size = static_cast<ssize_t>(owner.size());
  if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), owner.data(), owner.size(), 0) != size) {
    return fail_errno(errno, "cannot write " + shown);
  }
  return std::make_unique<FileLock>(std::move(file));
}

}  // namespace manactl::setup
