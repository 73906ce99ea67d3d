// SPDX-License-Identifier: MIT

#include "cli/bench/stop_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace manactl::cli {
namespace {

std::string cannot_create(const std::string& path) {
  return fmt::format("bench: --until-deleted: cannot create '{}'", printable(path));
}

}  // namespace

Result<std::unique_ptr<StopFile>> StopFile::open(const std::string& path) {
  const auto location = split_file_path(path);
  if (!location) return because(location.error(), cannot_create(path));
  auto directory = TrustedDirectory::open(location->directory, Trust::owned);
  if (!directory) {
    auto error = directory.error();
    if (error.code == Errc::not_found) error.code = Errc::invalid;
    return because(error, cannot_create(path));
  }
  if (faccessat(directory->get(), location->name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    return fail(Errc::invalid, cannot_create(path) + ": it exists; delete it or use another name");
  }
  return std::make_unique<StopFile>(std::move(*directory), location->name, path);
}

StopFile::~StopFile() {
  if (file_ && !is_deleted()) unlinkat(directory_.get(), name_.c_str(), 0);
}

Result<bool> StopFile::was_deleted() {
  constexpr mode_t kOwnerOnly = 0600;
  if (file_) return is_deleted();
  auto file = directory_.open_file(name_, O_WRONLY | O_CREAT | O_EXCL, kOwnerOnly);
  if (!file) return because(file.error(), cannot_create(path_));
  file_ = std::move(*file);
  return false;
}

bool StopFile::is_deleted() const {
  struct stat created{}, current{};
  return fstat(file_.get(), &created) != 0 ||
         fstatat(directory_.get(), name_.c_str(), &current, AT_SYMLINK_NOFOLLOW) != 0 ||
         created.st_dev != current.st_dev || created.st_ino != current.st_ino;
}

}  // namespace manactl::cli
