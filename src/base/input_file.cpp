// SPDX-License-Identifier: MIT

#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <optional>

#include "base/path_walk.h"
#include "base/text.h"

namespace manactl {
namespace {

using Status = struct stat;

std::string shown(const std::string& path) {
  return printable(path);
}

tl::unexpected<Error> fail_read(int number, const std::string& path) {
  auto error = fail_errno(number, fmt::format("cannot read '{}'", shown(path))).value();
  // A missing input file is a usage error.
  if (error.code == Errc::not_found) error.code = Errc::invalid;
  return tl::unexpected<Error>(std::move(error));
}

Descriptor open_directory(const char* path) {
  return Descriptor(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// Resolves a path, and checks each link on the way.
class InputWalk {
 public:
  explicit InputWalk(const std::string& path)
      : path_(path),
        walk_(
            open_directory("/"), path, path.starts_with('/') ? Descriptor() : open_directory(".")) {
  }

  // Returns an O_PATH descriptor, but never one of a link. If the path is /proc/self/fd/N, returns
  // an empty descriptor, and own_descriptor() returns N.
  Result<Descriptor> find() {
    if (path_.empty()) return fail_read(ENOENT, path_);
    if (path_.size() >= PATH_MAX) return fail_read(ENAMETOOLONG, path_);
    for (auto name = walk_.next(); !name.empty(); name = walk_.next()) {
      auto good = step(name);
      if (!good) return tl::unexpected<Error>(good.error());
      if (own_descriptor_) return Descriptor();
    }
    return walk_.take_here();
  }

  const std::optional<int>& own_descriptor() const { return own_descriptor_; }

 private:
  Result<> step(const std::string& name) {
    Descriptor found(openat(walk_.here(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    Status status{};
    if (!found || fstat(found.get(), &status) != 0) return fail_read(errno, path_);
    if (S_ISLNK(status.st_mode)) return follow(found.get(), status, name);
    const auto good = check_hard_link(status);
    if (good) walk_.enter(std::move(found), name);
    return good;
  }

  // As root, rejects a hard link that a user may have made who does not own the file. If the sysctl
  // fs.protected_hardlinks is 0, every user can link every file into a directory such as /tmp.
  Result<> check_hard_link(const Status& status) const {
    if (!S_ISREG(status.st_mode) || status.st_nlink == 1 || geteuid() != 0) return {};
    Status directory{};
    if (fstat(walk_.here(), &directory) != 0) return fail_read(errno, path_);
    const bool is_usual = is_trusted_owner(directory) || directory.st_uid == status.st_uid;
    if (is_usual && !is_writable_by_others(directory)) return {};
    return fail(Errc::invalid,
                fmt::format("cannot read '{}': it is a hard link in a directory to which other "
                            "users can write; name the file in its own directory",
                            shown(path_)));
  }

  Result<> follow(int link, const Status& status, const std::string& name) {
    Status directory{};
    if (fstat(walk_.here(), &directory) != 0) return fail_read(errno, path_);
    if (!is_trusted_owner(status) || !is_trusted_directory(directory)) {
      return fail(Errc::invalid,
                  fmt::format("cannot read '{}': other users control the symbolic link '{}' in it; "
                              "name the file that it should lead to",
                              shown(path_),
                              shown(name)));
    }
    if (may_be_magic_link(link, walk_.here())) return take_own(name);
    if (const int error = walk_.follow(link)) return fail_read(error, path_);
    return {};
  }

  // Magic links in /proc can lead anywhere. Only those to the descriptors of this process are safe,
  // because the user who started it has chosen these descriptors.
  Result<> take_own(const std::string& name) {
    Status own{};
    Status directory{};
    const auto number = parse_unsigned(name, INT_MAX);
    const bool is_own = number && stat("/proc/self/fd", &own) == 0 &&
                        fstat(walk_.here(), &directory) == 0 && own.st_ino == directory.st_ino &&
                        own.st_dev == directory.st_dev;
    if (!is_own || !walk_.is_last()) {
      return fail(
          Errc::invalid,
          fmt::format("cannot read '{}': it leads to a file that a process has open; use the "
                      "path of that file",
                      shown(path_)));
    }
    own_descriptor_ = static_cast<int>(*number);
    return {};
  }

  std::string path_;
  PathWalk walk_;
  std::optional<int> own_descriptor_;
};

std::string_view kind_of(const Status& status) {
  if (S_ISFIFO(status.st_mode)) return "a named pipe";
  if (S_ISSOCK(status.st_mode)) return "a socket";
  return S_ISDIR(status.st_mode) ? "a directory" : "a device";
}

tl::unexpected<Error> fail_kind(const Status& status,
                                const std::string& path,
                                std::string_view what,
                                std::string_view instead) {
  const auto hint = S_ISFIFO(status.st_mode)
                        ? fmt::format("; run: cat '{}' {}", shown(path), instead)
                        : std::string();
  return fail(Errc::invalid,
              fmt::format("'{}' is {}, not {}{}", shown(path), kind_of(status), what, hint));
}

}  // namespace

Result<Descriptor> find_input(const std::string& path, std::string_view what) {
  InputWalk walk(path);
  auto found = walk.find();
  if (!found) return found;
  if (walk.own_descriptor()) {
    found = Descriptor(fcntl(*walk.own_descriptor(), F_DUPFD_CLOEXEC, 0));
    if (!*found) return fail_read(errno, path);
  }
  Status status{};
  if (fstat(found->get(), &status) != 0) return fail_read(errno, path);
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return found;
  return fail_kind(status, path, what, "> FILE, and name FILE");
}

Result<Descriptor> open_input_file(const std::string& path, std::string_view what) {
  constexpr std::string_view kInstead = "| manactl ... -";
  InputWalk walk(path);
  auto found = walk.find();
  if (!found) return found;
  Status status{};
  if (walk.own_descriptor()) {
    // Duplicate the descriptor: open(2) of its link would open a device again, and fails for
    // sockets.
    Descriptor file(fcntl(*walk.own_descriptor(), F_DUPFD_CLOEXEC, 0));
    if (!file || fstat(file.get(), &status) != 0) return fail_read(errno, path);
    const bool usable =
        S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
    if (!usable) return fail_kind(status, path, what, kInstead);
    return file;
  }
  if (fstat(found->get(), &status) != 0) return fail_read(errno, path);
  if (!S_ISREG(status.st_mode)) return fail_kind(status, path, what, kInstead);
  const auto self = fmt::format("/proc/self/fd/{}", found->get());
  Descriptor file(open(self.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return fail_read(errno, path);
  return file;
}

}  // namespace manactl
