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

// The directory is locked, and the file contains the name of the owner: if the file were locked and
// someone removed it, another process could lock a new file of that name.
struct OpenLock {
  os::Descriptor directory, file;
};

class DirectoryLock final : public Lock {
 public:
  explicit DirectoryLock(OpenLock open) : open_(std::move(open)) {}

  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  ~DirectoryLock() override {
    // Clears the owner's name.
    if (open_.file && ftruncate(open_.file.get(), 0) != 0) return;
  }

  void close_in_child() override {
    close(open_.file.release());
    close(open_.directory.release());
  }

 private:
  OpenLock open_;
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

// Opens a file and a directory that other users cannot open: with a descriptor for reading, another
// user could take the lock with flock(2).
Result<OpenLock> open_lock(const std::string& path) {
  constexpr mode_t kDirectoryMode = 0700, kFileMode = 0600;
  const auto place = split_file_path(path);
  if (!place) return tl::unexpected<Error>(place.error());
  const auto directory = TrustedDirectory::open(place->directory, Trust::exclusive, kDirectoryMode);
  if (!directory) return tl::unexpected<Error>(directory.error());
  auto file = directory->open_file(place->name, O_RDWR | O_CREAT, kFileMode);
  if (!file) return tl::unexpected<Error>(file.error());
  os::Descriptor opened(openat(directory->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return fail_errno(errno, "cannot open its directory");
  // No other user can have created either, so it is safe to correct the modes.
  if (fchmod(file->get(), kFileMode) != 0 || fchmod(opened.get(), kDirectoryMode) != 0) {
    return fail_errno(errno, "cannot set its mode");
  }
  return OpenLock{std::move(opened), std::move(*file)};
}

}  // namespace

Result<std::unique_ptr<Lock>> take_lock(const std::string& path, const std::string& command) {
  const std::string shown = "'" + printable(path) + "'";
  auto opened = open_lock(path);
  if (!opened) return because(opened.error(), "cannot use the lock " + shown);
  const int file = opened->file.get();
  if (flock(opened->directory.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, "cannot lock " + shown);
    return fail(Errc::busy,
                fmt::format("{} holds the lock {}: wait until it ends", owner_in(file), shown));
  }
  const std::string owner = fmt::format(
      "process {} (manactl {}, since {})\n", getpid(), printable(command, 120), local_time());
  const auto size = static_cast<ssize_t>(owner.size());
  if (ftruncate(file, 0) != 0 || pwrite(file, owner.data(), owner.size(), 0) != size) {
    return fail_errno(errno, "cannot write " + shown);
  }
  return std::make_unique<DirectoryLock>(std::move(*opened));
}

}  // namespace manactl::setup
