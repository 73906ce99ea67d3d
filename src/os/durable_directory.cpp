// SPDX-License-Identifier: MIT

#include "os/durable_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

constexpr unsigned kWritableByOthers = S_IWGRP | S_IWOTH;
constexpr std::string_view kTemporarySuffix = ".new";

using Directory = Owned<DIR, closedir>;

bool is_plain(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

Result<> check_safe(int directory, bool last, const std::string& shown) {
  struct stat status {};

  if (fstat(directory, &status) != 0) return fail_errno(errno, "cannot stat '" + shown + "'");
  const bool trusted = status.st_uid == geteuid() || (!last && status.st_uid == 0);
  if (!trusted) {
    return fail(
        Errc::denied,
        fmt::format("'{}' belongs to user {}, not to user {}", shown, status.st_uid, geteuid()));
  }
  // Others may write to a sticky parent directory: they cannot rename or remove our files there.
  const bool shared = (status.st_mode & kWritableByOthers) != 0;
  if (shared && (last || (status.st_mode & S_ISVTX) == 0)) {
    return fail(Errc::denied, fmt::format("'{}' is writable by others", shown));
  }
  return {};
}

Result<> write_all(int file, std::string_view text, const std::string& shown) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno(errno, "cannot write '" + shown + "'");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(file) != 0) return fail_errno(errno, "cannot write '" + shown + "'");
  return {};
}

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Result<Descriptor> make_directory(const Descriptor& in,
                                  const std::string& name,
                                  mode_t mode,
                                  const std::string& shown) {
  if (mkdirat(in.get(), name.c_str(), mode) != 0 && errno != EEXIST) {
    return fail_errno(errno, "cannot create the directory '" + shown + "'");
  }
  if (fsync(in.get()) != 0) return fail_errno(errno, "cannot write '" + shown + "'");
  Descriptor created(openat(in.get(), name.c_str(), kDirectory));
  // Set the mode explicitly, because mkdirat applies the umask.
  if (created && fchmod(created.get(), mode) != 0) {
    return fail_errno(errno, "cannot set the mode of '" + shown + "'");
  }
  if (!created) return fail_errno(errno, "cannot open the directory '" + shown + "'");
  return created;
}

class DiskDirectory final : public DurableDirectory {
 public:
  DiskDirectory(std::string path, DirectoryAccess access)
      : path_(std::move(path)),
        directory_mode_(access == DirectoryAccess::owner_only ? 0700 : 0755),
        file_mode_(access == DirectoryAccess::owner_only ? 0600 : 0644) {}

  std::string path() const override { return path_; }

  Result<std::vector<std::string>> list() const override;
  Result<std::string> read(std::string_view name) const override;
  Result<std::uint64_t> size(std::string_view name) const override;
  Result<> replace(std::string_view name, std::string_view text) override;
  Result<> append(std::string_view name, std::string_view text) override;
  Result<> remove(std::string_view name) override;

 private:
  Result<Descriptor> open_directory(bool create) const;
  Result<Descriptor> open_file(const Descriptor& directory, std::string_view name, int flags) const;

  std::string shown(std::string_view name) const {
    return printable(path_ + '/' + std::string(name));
  }

  std::string path_;
  mode_t directory_mode_;
  mode_t file_mode_;
};

Result<Descriptor> DiskDirectory::open_directory(bool create) const {
  Descriptor here(open("/", kDirectory));
  if (!here) return fail_errno(errno, "cannot open '/'");
  std::string walked;
  std::vector<std::string_view> parts;
  for (const auto part : split(path_, '/')) {
    if (!part.empty()) parts.push_back(part);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name(parts[i]);
    walked += '/' + name;
    const bool last = i + 1 == parts.size();
    Descriptor next(openat(here.get(), name.c_str(), kDirectory));
    if (!next && errno == ENOENT && create) {
      auto created = make_directory(here, name, last ? directory_mode_ : 0755, walked);
      if (!created) return created;
      next = std::move(*created);
    }
    if (!next) return fail_errno(errno, "cannot open the directory '" + walked + "'");
    const auto safe = check_safe(next.get(), last, walked);
    if (!safe) return tl::unexpected<Error>(safe.error());
    here = std::move(next);
  }
  return here;
}

Result<Descriptor> DiskDirectory::open_file(const Descriptor& directory,
                                            std::string_view name,
                                            int flags) const {
  if (!is_plain(name))
    return fail(Errc::invalid, "'" + printable(name, 60) + "' is not a file name");
  Descriptor file(openat(directory.get(),
                         std::string(name).c_str(),
                         flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                         file_mode_));
  if (!file) return fail_errno(errno, "cannot open '" + shown(name) + "'");

  struct stat status {};

  if (fstat(file.get(), &status) != 0)
    return fail_errno(errno, "cannot stat '" + shown(name) + "'");
  if (!S_ISREG(status.st_mode))
    return fail(Errc::denied, "'" + shown(name) + "' is not a regular file");
  if (status.st_uid != geteuid() || (status.st_mode & kWritableByOthers) != 0) {
    return fail(Errc::denied, "'" + shown(name) + "' belongs to or is writable by others");
  }
  return file;
}

Result<std::vector<std::string>> DiskDirectory::list() const {
  auto directory = open_directory(false);
  if (!directory && directory.error().sys == ENOENT) return std::vector<std::string>{};
  if (!directory) return tl::unexpected<Error>(directory.error());
  const Directory entries(fdopendir(directory->get()));
  if (!entries) return fail_errno(errno, "cannot list '" + path_ + "'");
  directory->release();  // closedir(3) closes it
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(entries.get());  // NOLINT(concurrency-mt-unsafe): our own stream
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (is_plain(name) && !name.ends_with(kTemporarySuffix)) names.emplace_back(name);
  }
  if (errno != 0) return fail_errno(errno, "cannot list '" + path_ + "'");
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::uint64_t> DiskDirectory::size(std::string_view name) const {
  const auto directory = open_directory(false);
  if (!directory) return tl::unexpected<Error>(directory.error());

  struct stat status {};

  const std::string file(name);
  if (fstatat(directory->get(), file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno(errno, "cannot read '" + shown(name) + "'");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::string> DiskDirectory::read(std::string_view name) const {
  constexpr std::size_t kMaxBytes = 64U << 20;
  const auto directory = open_directory(false);
  if (!directory) return tl::unexpected<Error>(directory.error());
  const auto file = open_file(*directory, name, O_RDONLY);
  if (!file) return tl::unexpected<Error>(file.error());
  std::string text;
  std::array<char, 16384> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  for (;;) {
    const ssize_t got = ::read(file->get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "cannot read '" + shown(name) + "'");
    if (got == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxBytes) {
      return fail(Errc::io,
                  fmt::format("'{}' is larger than {}", shown(name), human_bytes(kMaxBytes)));
    }
  }
}

Result<> DiskDirectory::replace(std::string_view name, std::string_view text) {
  const auto directory = open_directory(true);
  if (!directory) return tl::unexpected<Error>(directory.error());
  const std::string temporary = std::string(name) + std::string(kTemporarySuffix);
  // A killed process may have left a temporary file.
  if (unlinkat(directory->get(), temporary.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, "cannot remove '" + shown(temporary) + "'");
  }
  const auto file = open_file(*directory, temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return tl::unexpected<Error>(file.error());
  auto written = write_all(file->get(), text, shown(name));
  if (written && fchmod(file->get(), file_mode_) != 0)
    written = fail_errno(errno, "cannot set the mode of '" + shown(temporary) + "'");
  const std::string target(name);
  if (written &&
      renameat(directory->get(), temporary.c_str(), directory->get(), target.c_str()) != 0) {
    written = fail_errno(errno, "cannot rename '" + shown(temporary) + "'");
  }
  if (!written) {
    (void)unlinkat(directory->get(), temporary.c_str(), 0);
    return written;
  }
  if (fsync(directory->get()) != 0) return fail_errno(errno, "cannot write '" + path_ + "'");
  return {};
}

Result<> DiskDirectory::append(std::string_view name, std::string_view text) {
  const auto directory = open_directory(false);
  if (!directory) return tl::unexpected<Error>(directory.error());
  const auto file = open_file(*directory, name, O_WRONLY | O_APPEND);
  if (!file) return tl::unexpected<Error>(file.error());

  struct stat before {};

  if (fstat(file->get(), &before) != 0)
    return fail_errno(errno, "cannot stat '" + shown(name) + "'");
  auto written = write_all(file->get(), text, shown(name));
  if (!written && ftruncate(file->get(), before.st_size) != 0) {
    return because(written.error(), "cannot remove the partial write");
  }
  return written;
}

Result<> DiskDirectory::remove(std::string_view name) {
  const auto directory = open_directory(false);
  if (!directory && directory.error().sys == ENOENT) return {};
  if (!directory) return tl::unexpected<Error>(directory.error());
  if (!is_plain(name))
    return fail(Errc::invalid, "'" + printable(name, 60) + "' is not a file name");
  if (unlinkat(directory->get(), std::string(name).c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, "cannot remove '" + shown(name) + "'");
  }
  if (fsync(directory->get()) != 0) return fail_errno(errno, "cannot write '" + path_ + "'");
  return {};
}

}  // namespace

Result<std::uint64_t> DurableDirectory::size(std::string_view name) const {
  const auto text = read(name);
  if (!text) return tl::unexpected<Error>(text.error());
  return text->size();
}

std::unique_ptr<DurableDirectory> open_durable_directory(std::string path, DirectoryAccess access) {
  return std::make_unique<DiskDirectory>(std::move(path), access);
}

}  // namespace manactl::os
