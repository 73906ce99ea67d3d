// SPDX-License-Identifier: MIT

#include "base/trusted_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "base/path_walk.h"
#include "base/text.h"

namespace manactl {
namespace {

constexpr int kPathOnly = O_PATH | O_NOFOLLOW | O_CLOEXEC;

std::string quoted(const std::string& path) {
  return "'" + printable(path) + "'";
}

tl::unexpected<Error> fail_owner(const std::string& path, const struct stat& status) {
  const auto own = geteuid();
  return fail(Errc::denied,
              fmt::format("{} belongs to UID {}, but only root{} may own it: check it, then change "
                          "its owner or remove it",
                          quoted(path),
                          status.st_uid,
                          own == 0 ? "" : fmt::format(" and UID {}", own)));
}

tl::unexpected<Error> fail_writable(const std::string& path) {
  return fail(
      Errc::denied,
      fmt::format("{} is writable by others: check it, then run chmod go-w on it", quoted(path)));
}

Result<> check_directory(const struct stat& status, const std::string& path) {
  if (is_trusted_directory(status)) return {};
  if (!is_trusted_owner(status)) return fail_owner(path, status);
  return fail_writable(path);
}

Result<struct stat> status_of(int file, const std::string& path) {
  struct stat status{};

  if (fstat(file, &status) != 0) return fail_errno(errno, "cannot stat " + quoted(path));
  return status;
}

// Opens the directory of an absolute path, and checks each component.
class DirectoryWalk {
 public:
  DirectoryWalk(std::string path, Trust trust, std::optional<mode_t> mode)
      : walk_(Descriptor(::open("/", kPathOnly | O_DIRECTORY)), std::move(path)),
        trust_(trust),
        mode_(mode) {}

  Result<Descriptor> open() {
    auto good = check_here();
    while (good) {
      const auto name = walk_.next();
      if (name.empty()) break;
      good = step(name);
    }
    if (good && trust_ == Trust::exclusive) good = check_exclusive();
    if (!good) return tl::unexpected<Error>(good.error());
    return walk_.take_here();
  }

 private:
  Result<> step(const std::string& name) {
    // With O_DIRECTORY, the kernel mounts a file system that is mounted on demand.
    Descriptor found(openat(walk_.here(), name.c_str(), kPathOnly | O_DIRECTORY));
    if (!found && errno == ENOENT && mode_) {
      const auto created = create(name, walk_.is_last() ? *mode_ : 0755);
      if (!created) return created;
      found = Descriptor(openat(walk_.here(), name.c_str(), kPathOnly | O_DIRECTORY));
    }
    if (!found && (errno == ENOTDIR || errno == ELOOP)) return follow(name);
    if (!found)
      return fail_errno(errno, "cannot open the directory " + quoted(walk_.path_of(name)));
    walk_.enter(std::move(found), name);
    return check_here();
  }

  Result<> check_here() const {
    if (trust_ == Trust::any_owner) return {};
    const auto status = status_of(walk_.here(), walk_.path());
    if (!status) return tl::unexpected<Error>(status.error());
    return check_directory(*status, walk_.path());
  }

  Result<> create(const std::string& name, mode_t mode) {
    const auto path = walk_.path_of(name);
    if (mkdirat(walk_.here(), name.c_str(), mode) != 0) {
      if (errno == EEXIST) return {};
      return fail_errno(errno, "cannot create the directory " + quoted(path));
    }
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const Descriptor created(openat(walk_.here(), name.c_str(), flags));
    const Descriptor parent(openat(walk_.here(), ".", flags));
    // The umask may have cleared bits of the mode.
    if (!created || fchmod(created.get(), mode) != 0)
      return fail_errno(errno, "cannot set the mode of " + quoted(path));
    if (!parent || fsync(parent.get()) != 0)
      return fail_errno(errno, "cannot sync " + quoted(path));
    return {};
  }

  Result<> follow(const std::string& name) {
    const auto path = walk_.path_of(name);
    const Descriptor link(openat(walk_.here(), name.c_str(), kPathOnly));
    if (!link) return fail_errno(errno, "cannot open " + quoted(path));
    const auto status = status_of(link.get(), path);
    if (!status) return tl::unexpected<Error>(status.error());
    if (!S_ISLNK(status->st_mode)) return fail_errno(ENOTDIR, "cannot open " + quoted(path));
    if (!is_trusted_owner(*status)) return fail_link(path, fail_owner(path, *status));
    const auto directory = status_of(walk_.here(), walk_.path());
    if (!directory) return tl::unexpected<Error>(directory.error());
    const auto good = check_directory(*directory, walk_.path());
    if (!good) return fail_link(path, tl::unexpected<Error>(good.error()));
    if (const int error = walk_.follow(link.get()))
      return fail_errno(error, "cannot follow the symbolic link " + quoted(path));
    return {};
  }

  static tl::unexpected<Error> fail_link(const std::string& path,
                                         const tl::unexpected<Error>& cause) {
    return because(cause.value(), "cannot follow the symbolic link " + quoted(path));
  }

  Result<> check_exclusive() const {
    const auto status = status_of(walk_.here(), walk_.path());
    if (!status) return tl::unexpected<Error>(status.error());
    if (is_writable_by_others(*status)) return fail_writable(walk_.path());
    return {};
  }

  PathWalk walk_;
  Trust trust_;
  std::optional<mode_t> mode_;
};

Result<std::string> absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  std::array<char, PATH_MAX> current{};
  if (getcwd(current.data(), current.size()) == nullptr)
    return fail_errno(errno, "cannot find the working directory");
  // The kernel puts "(unreachable)" in front of a directory outside of this mount namespace.
  if (current.front() != '/') return fail_errno(ENOENT, "cannot find the working directory");
  return fmt::format("{}/{}", current.data(), path);
}

Result<> check_file(const struct stat& status, const std::string& path, Trust trust, int flags) {
  if (S_ISLNK(status.st_mode))
    return fail(Errc::denied,
                quoted(path) + " is a symbolic link: remove it or use the name of its target");
  if (!S_ISREG(status.st_mode))
    return fail(Errc::denied,
                quoted(path) + " is not a regular file: remove it or use another name");
  if (!is_trusted_owner(status)) return fail_owner(path, status);
  if (trust != Trust::any_owner && is_writable_by_others(status)) return fail_writable(path);
  const bool is_written = (flags & O_ACCMODE) != O_RDONLY;
  // It has no link if it was deleted after it was opened.
  if (is_written && status.st_nlink > 1)
    return fail(Errc::denied, quoted(path) + " has several hard links: remove it first");
  return {};
}

}  // namespace

Result<TrustedDirectory> TrustedDirectory::open(const std::string& path,
                                                Trust trust,
                                                std::optional<mode_t> mode) {
  if (path.size() >= PATH_MAX) return fail_errno(ENAMETOOLONG, "cannot open " + quoted(path));
  auto full = absolute(path);
  if (!full) return tl::unexpected<Error>(full.error());
  auto directory = DirectoryWalk(std::move(*full), trust, mode).open();
  if (!directory) return tl::unexpected<Error>(directory.error());
  return TrustedDirectory(std::move(*directory), path, trust);
}

Result<Descriptor> TrustedDirectory::open_file(const std::string& name,
                                               int flags,
                                               mode_t mode) const {
  const auto path = path_.ends_with('/') ? path_ + name : path_ + '/' + name;

  struct stat status{};

  // Opening a device or a pipe can have effects, so check the type first.
  if (fstatat(get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    const auto good = check_file(status, path, trust_, flags);
    if (!good) return tl::unexpected<Error>(good.error());
  }
  constexpr int kAlways = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  Descriptor file(openat(get(), name.c_str(), flags | kAlways, mode));
  if (!file) return fail_errno(errno, "cannot open " + quoted(path));
  const auto opened = status_of(file.get(), path);
  if (!opened) return tl::unexpected<Error>(opened.error());
  const auto good = check_file(*opened, path, trust_, flags);
  if (!good) return tl::unexpected<Error>(good.error());
  return file;
}

Result<FilePath> split_file_path(const std::string& path) {
  const auto slash = path.rfind('/');
  if (path.empty()) return fail(Errc::invalid, "the name of the file is empty");
  auto name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..")
    return fail(Errc::invalid, quoted(path) + " is a directory, not the name of a file");
  if (slash == std::string::npos) return FilePath{".", std::move(name)};
  return FilePath{slash == 0 ? "/" : path.substr(0, slash), std::move(name)};
}

Result<Descriptor> open_trusted_file(const std::string& path, int flags) {
  const auto file = split_file_path(path);
  if (!file) return tl::unexpected<Error>(file.error());
  const auto directory = TrustedDirectory::open(file->directory, Trust::owned);
  if (!directory) return tl::unexpected<Error>(directory.error());
  return directory->open_file(file->name, flags);
}

Result<Descriptor> open_output_file(const std::string& path) {
  const auto file = split_file_path(path);
  if (!file) return tl::unexpected<Error>(file.error());
  const auto directory = TrustedDirectory::open(file->directory, Trust::any_owner);
  if (!directory) return tl::unexpected<Error>(directory.error());
  return directory->open_file(file->name, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

}  // namespace manactl
