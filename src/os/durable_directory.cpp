// SPDX-License-Identifier: MIT

#include "os/durable_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "base/text.h"
#include "base/trusted_directory.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

constexpr std::string_view kTemporarySuffix = ".new";

using Directory = Owned<DIR, closedir>;

bool is_plain(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

// Refuses the names of temporary files as well, which list() hides.
Result<> check_plain(std::string_view name) {
  if (is_plain(name) && !name.ends_with(kTemporarySuffix)) return {};
  return fail(Errc::invalid, "'" + printable(name) + "' is not a file name");
}

Result<> write_all(int file, std::string_view text, const std::string& shown) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written == -1 && errno == EINTR) continue;
    if (written == -1) return fail_errno(errno, "cannot write '" + shown + "'");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(file) != 0) return fail_errno(errno, "cannot write '" + shown + "'");
  return {};
}

// Fails with errno. The descriptor of a TrustedDirectory itself can be neither read nor synced.
Descriptor readable(const TrustedDirectory& directory) {
  return Descriptor(openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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

  Result<> replace(std::string_view name, std::string_view text) override {
    return write(name, text, 0);
  }

  Result<> create(std::string_view name, std::string_view text) override {
    return write(name, text, RENAME_NOREPLACE);
  }

  Result<> append(std::string_view name, std::string_view text) override;
  Result<> remove(std::string_view name) override;

 private:
  Result<TrustedDirectory> open_directory(bool create) const;
  Result<Descriptor> open_file(const TrustedDirectory& directory,
                               std::string_view name,
                               int flags) const;
  Result<> sync(const TrustedDirectory& directory) const;
  Result<> write(std::string_view name, std::string_view text, unsigned rename_flags) const;

  std::string shown(std::string_view name) const {
    return printable(path_ + '/' + std::string(name));
  }

  std::string path_;
  mode_t directory_mode_;
  mode_t file_mode_;
};

Result<TrustedDirectory> DiskDirectory::open_directory(bool create) const {
  const auto mode = create ? std::optional(directory_mode_) : std::nullopt;
  return TrustedDirectory::open(path_, Trust::exclusive, mode);
}

Result<Descriptor> DiskDirectory::open_file(const TrustedDirectory& directory,
                                            std::string_view name,
                                            int flags) const {
  return directory.open_file(std::string(name), flags, file_mode_);
}

Result<> DiskDirectory::sync(const TrustedDirectory& directory) const {
  const auto opened = readable(directory);
  if (!opened || fsync(opened.get()) != 0)
    return fail_errno(errno, "cannot sync '" + printable(path_) + "'");
  return {};
}

Result<std::vector<std::string>> DiskDirectory::list() const {
  const auto directory = open_directory(false);
  if (!directory && directory.error().sys == ENOENT) return std::vector<std::string>{};
  if (!directory) return tl::unexpected<Error>(directory.error());
  auto opened = readable(*directory);
  const Directory entries(opened ? fdopendir(opened.get()) : nullptr);
  if (!entries) return fail_errno(errno, "cannot list '" + printable(path_) + "'");
  opened.release();  // closedir(3) closes it
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(entries.get());  // NOLINT(concurrency-mt-unsafe): our own stream
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (is_plain(name) && !name.ends_with(kTemporarySuffix)) names.emplace_back(name);
  }
  if (errno != 0) return fail_errno(errno, "cannot list '" + printable(path_) + "'");
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::uint64_t> DiskDirectory::size(std::string_view name) const {
  const auto plain = check_plain(name);
  if (!plain) return tl::unexpected<Error>(plain.error());
  const auto directory = open_directory(false);
  if (!directory) return tl::unexpected<Error>(directory.error());

  struct stat status{};

  const std::string file(name);
  if (fstatat(directory->get(), file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno(errno, "cannot read '" + shown(name) + "'");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::string> DiskDirectory::read(std::string_view name) const {
  constexpr std::size_t kMaxBytes = 64U << 20;
  const auto plain = check_plain(name);
  if (!plain) return tl::unexpected<Error>(plain.error());
  const auto directory = open_directory(false);
  if (!directory) return tl::unexpected<Error>(directory.error());
  const auto file = open_file(*directory, name, O_RDONLY);
  if (!file) return tl::unexpected<Error>(file.error());
  std::string text;
  std::array<char, 16384> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  for (;;) {
    const ssize_t got = ::read(file->get(), chunk.data(), chunk.size());
    if (got == -1 && errno == EINTR) continue;
    if (got == -1) return fail_errno(errno, "cannot read '" + shown(name) + "'");
    if (got == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxBytes) {
      return fail(Errc::io,
                  fmt::format("'{}' is larger than {}", shown(name), human_bytes(kMaxBytes)));
    }
  }
}

// Renames within the directory, with the flags of renameat2(2). Returns 0, or -1 with errno set.
int rename_in(int directory, const std::string& from, const std::string& to, unsigned flags) {
  if (flags == 0) return renameat(directory, from.c_str(), directory, to.c_str());
  if (renameat2(directory, from.c_str(), directory, to.c_str(), flags) == 0) return 0;
  if (errno != EINVAL || flags != RENAME_NOREPLACE) return -1;
  // File systems such as NFS support only a link, which does not replace a file either.
  if (linkat(directory, from.c_str(), directory, to.c_str(), 0) != 0) return -1;
  // The file exists now. The next write() with this name removes a temporary file that is left.
  (void)unlinkat(directory, from.c_str(), 0);
  return 0;
}

Result<> DiskDirectory::write(std::string_view name,
                              std::string_view text,
                              unsigned rename_flags) const {
  auto plain = check_plain(name);
  if (!plain) return plain;
  const auto directory = open_directory(true);
  if (!directory) return tl::unexpected<Error>(directory.error());
  const std::string temporary = std::string(name) + std::string(kTemporarySuffix);
  // A killed process may have left a temporary file.
  if (unlinkat(directory->get(), temporary.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, "cannot remove '" + shown(temporary) + "'");
  }
  const auto file = open_file(*directory, temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return tl::unexpected<Error>(file.error());
  Result<> written;
  if (fchmod(file->get(), file_mode_) != 0)
    written = fail_errno(errno, "cannot set the mode of '" + shown(temporary) + "'");
  if (written) written = write_all(file->get(), text, shown(name));  // syncs the mode, too
  if (written && rename_in(directory->get(), temporary, std::string(name), rename_flags) != 0)
    written = fail_errno(errno,
                         rename_flags == 0 ? "cannot rename '" + shown(temporary) + "'"
                                           : "cannot create '" + shown(name) + "'");
  if (!written) {
    (void)unlinkat(directory->get(), temporary.c_str(), 0);
    return written;
  }
  return sync(*directory);
}

Result<> DiskDirectory::append(std::string_view name, std::string_view text) {
  const auto plain = check_plain(name);
  if (!plain) return tl::unexpected<Error>(plain.error());
  const auto directory = open_directory(false);
  if (!directory) return tl::unexpected<Error>(directory.error());
  const auto file = open_file(*directory, name, O_WRONLY | O_APPEND);
  if (!file) return tl::unexpected<Error>(file.error());

  struct stat before{};

  if (fstat(file->get(), &before) != 0)
    return fail_errno(errno, "cannot stat '" + shown(name) + "'");
  auto written = write_all(file->get(), text, shown(name));
  if (!written && ftruncate(file->get(), before.st_size) != 0) {
    return because(written.error(), "cannot remove the partial write");
  }
  return written;
}

Result<> DiskDirectory::remove(std::string_view name) {
  auto plain = check_plain(name);
  if (!plain) return plain;
  const auto directory = open_directory(false);
  if (!directory && directory.error().sys == ENOENT) return {};
  if (!directory) return tl::unexpected<Error>(directory.error());
  if (unlinkat(directory->get(), std::string(name).c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, "cannot remove '" + shown(name) + "'");
  }
  return sync(*directory);
}

}  // namespace

Result<std::uint64_t> DurableDirectory::size(std::string_view name) const {
  const auto text = read(name);
  if (!text) return tl::unexpected<Error>(text.error());
  return text->size();
}

Result<> DurableDirectory::create(std::string_view name, std::string_view text) {
  if (size(name)) return fail_errno(EEXIST, fmt::format("cannot create '{}'", printable(name)));
  return replace(name, text);
}

std::unique_ptr<DurableDirectory> open_durable_directory(std::string path, DirectoryAccess access) {
  return std::make_unique<DiskDirectory>(std::move(path), access);
}

}  // namespace manactl::os
