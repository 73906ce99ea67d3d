// SPDX-License-Identifier: MIT

#include "base/trusted_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <vector>

#include "base/text.h"

namespace manactl {
namespace {

constexpr int kMaxLinks = 40;  // MAXSYMLINKS of the kernel
constexpr int kPathOnly = O_PATH | O_NOFOLLOW | O_CLOEXEC;
constexpr unsigned kWritableByOthers = S_IWGRP | S_IWOTH;

bool is_trusted_owner(const struct stat& status) {
  return status.st_uid == 0 || status.st_uid == geteuid();
}

bool is_writable_by_others(const struct stat& status) {
  return (status.st_mode & kWritableByOthers) != 0;
}

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
  if (!is_trusted_owner(status)) return fail_owner(path, status);
  // In a sticky directory, others can add files, but can neither rename nor remove ours.
  const bool is_shared = is_writable_by_others(status) && (status.st_mode & S_ISVTX) == 0;
  if (is_shared) return fail_writable(path);
  return {};
}

Result<struct stat> status_of(const Descriptor& file, const std::string& path) {
  struct stat status {};

  if (fstat(file.get(), &status) != 0) return fail_errno(errno, "cannot stat " + quoted(path));
  return status;
}

// Resolves a path. All directories on the way stay open, so that ".." returns to the previous one
// even if another user moves a directory meanwhile.
class PathWalk {
 public:
  PathWalk(std::string path, Trust trust, std::optional<mode_t> mode)
      : rest_(std::move(path)), trust_(trust), mode_(mode) {}

  Result<Descriptor> open() {
    auto good = enter(Descriptor(::open("/", kPathOnly | O_DIRECTORY)), "");
    while (good) {
      const auto name = next();
      if (name.empty()) break;
      good = step(name);
    }
    if (good && trust_ == Trust::exclusive) good = check_exclusive();
    if (!good) return tl::unexpected<Error>(good.error());
    return std::move(levels_.back().directory);
  }

 private:
  struct Level {
    Descriptor directory;
    std::string path;  // without links; empty for the root
  };

  const Descriptor& here() const { return levels_.back().directory; }

  std::string path_of(const std::string& name) const { return levels_.back().path + '/' + name; }

  std::string next() {
    const auto begin = std::min(rest_.find_first_not_of('/'), rest_.size());
    const auto end = std::min(rest_.find('/', begin), rest_.size());
    auto name = rest_.substr(begin, end - begin);
    rest_.erase(0, end);
    return name;
  }

  bool is_last() const { return rest_.find_first_not_of('/') == std::string::npos; }

  Result<> step(const std::string& name) {
    if (name == ".") return {};
    if (name == "..") {
      if (levels_.size() > 1) levels_.pop_back();
      return {};
    }
    // With O_DIRECTORY, the kernel mounts a file system that is mounted on demand.
    Descriptor found(openat(here().get(), name.c_str(), kPathOnly | O_DIRECTORY));
    if (!found && errno == ENOENT && mode_) {
      const auto created = create(name, is_last() ? *mode_ : 0755);
      if (!created) return created;
      found = Descriptor(openat(here().get(), name.c_str(), kPathOnly | O_DIRECTORY));
    }
    if (!found && (errno == ENOTDIR || errno == ELOOP)) return follow(name);
    return enter(std::move(found), path_of(name));
  }

  // `found` may be empty; errno then holds the reason.
  Result<> enter(Descriptor found, std::string path) {
    const std::string shown = path.empty() ? "/" : path;
    if (!found) return fail_errno(errno, "cannot open the directory " + quoted(shown));
    const auto status = status_of(found, shown);
    if (!status) return tl::unexpected<Error>(status.error());
    if (trust_ != Trust::any_owner) {
      auto good = check_directory(*status, shown);
      if (!good) return good;
    }
    levels_.push_back({std::move(found), std::move(path)});
    return {};
  }

  Result<> create(const std::string& name, mode_t mode) {
    const auto path = path_of(name);
    if (mkdirat(here().get(), name.c_str(), mode) != 0) {
      if (errno == EEXIST) return {};
      return fail_errno(errno, "cannot create the directory " + quoted(path));
    }
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const Descriptor created(openat(here().get(), name.c_str(), flags));
    const Descriptor parent(openat(here().get(), ".", flags));
    // The umask may have cleared bits of the mode.
    if (!created || fchmod(created.get(), mode) != 0)
      return fail_errno(errno, "cannot set the mode of " + quoted(path));
    if (!parent || fsync(parent.get()) != 0)
      return fail_errno(errno, "cannot sync " + quoted(path));
    return {};
  }

  Result<> follow(const std::string& name) {
    const auto path = path_of(name);
    const Descriptor link(openat(here().get(), name.c_str(), kPathOnly));
    if (!link) return fail_errno(errno, "cannot open " + quoted(path));
    const auto status = status_of(link, path);
    if (!status) return tl::unexpected<Error>(status.error());
    if (!S_ISLNK(status->st_mode)) return fail_errno(ENOTDIR, "cannot open " + quoted(path));
    if (!is_trusted_owner(*status)) return fail_link(path, fail_owner(path, *status));
    const auto parent = levels_.back().path.empty() ? "/" : levels_.back().path;
    const auto directory = status_of(here(), parent);
    if (!directory) return tl::unexpected<Error>(directory.error());
    const auto good = check_directory(*directory, parent);
    if (!good) return fail_link(path, tl::unexpected<Error>(good.error()));

    std::array<char, PATH_MAX> target;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
    const auto length = readlinkat(link.get(), "", target.data(), target.size());
    if (length < 0) return fail_errno(errno, "cannot read the link " + quoted(path));
    if (++links_ > kMaxLinks) return fail_errno(ELOOP, "cannot follow " + quoted(path));
    rest_.insert(0, std::string(target.data(), static_cast<std::size_t>(length)));
    if (rest_.front() == '/') levels_.resize(1);
    return {};
  }

  static tl::unexpected<Error> fail_link(const std::string& path,
                                         const tl::unexpected<Error>& cause) {
    return because(cause.value(), "cannot follow the symbolic link " + quoted(path));
  }

  Result<> check_exclusive() const {
    const auto& [directory, path] = levels_.back();
    const auto status = status_of(directory, path);
    if (!status) return tl::unexpected<Error>(status.error());
    if (is_writable_by_others(*status)) return fail_writable(path);
    return {};
  }

  std::string rest_;
  Trust trust_;
  std::optional<mode_t> mode_;
  int links_ = 0;
  std::vector<Level> levels_;
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
  if (is_written && status.st_nlink != 1)
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
  auto directory = PathWalk(std::move(*full), trust, mode).open();
  if (!directory) return tl::unexpected<Error>(directory.error());
  return TrustedDirectory(std::move(*directory), path, trust);
}

Result<Descriptor> TrustedDirectory::open_file(const std::string& name,
                                               int flags,
                                               mode_t mode) const {
  const auto path = path_.ends_with('/') ? path_ + name : path_ + '/' + name;

  struct stat status {};

  // Opening a device or a pipe can have effects, so check the type first.
  if (fstatat(get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    const auto good = check_file(status, path, trust_, flags);
    if (!good) return tl::unexpected<Error>(good.error());
  }
  constexpr int kAlways = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  Descriptor file(openat(get(), name.c_str(), flags | kAlways, mode));
  if (!file) return fail_errno(errno, "cannot open " + quoted(path));
  const auto opened = status_of(file, path);
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

}  // namespace manactl
