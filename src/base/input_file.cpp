// SPDX-License-Identifier: MIT

#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <vector>

#include "base/text.h"

namespace manactl {
namespace {

constexpr int kMaxLinks = 40;     // MAXSYMLINKS of the kernel
constexpr long kProcfs = 0x9fa0;  // PROC_SUPER_MAGIC of linux/magic.h

using Status = struct stat;

std::string shown(const std::string& path) {
  return printable(path, 200);
}

tl::unexpected<Error> fail_read(int number, const std::string& path) {
  auto error = fail_errno(number, fmt::format("cannot read '{}'", shown(path))).value();
  // A missing input file is a usage error.
  if (error.code == Errc::not_found) error.code = Errc::invalid;
  return tl::unexpected<Error>(std::move(error));
}

bool is_trusted_owner(const Status& status) {
  return status.st_uid == 0 || status.st_uid == geteuid();
}

// Resolves a path. All directories on the way stay open, so that ".." returns to the previous one
// even if another user moves a directory meanwhile.
class InputWalk {
 public:
  explicit InputWalk(const std::string& path) : path_(path), rest_(path) {}

  // Returns an O_PATH descriptor, which is not a link. own_descriptor() has a value instead if the
  // path is /proc/self/fd/N; the result is then empty.
  Result<Descriptor> find() {
    const bool absolute = path_.starts_with('/');
    Descriptor start(::open(absolute ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!start || path_.empty() || path_.size() >= PATH_MAX) {
      return fail_read(path_.empty() ? ENOENT : start ? ENAMETOOLONG : errno, path_);
    }
    levels_.push_back(std::move(start));
    for (auto name = next(); !name.empty() && !own_descriptor_; name = next()) {
      auto good = step(name);
      if (!good) return tl::unexpected<Error>(good.error());
    }
    return std::move(levels_.back());
  }

  const std::optional<int>& own_descriptor() const { return own_descriptor_; }

 private:
  int here() const { return levels_.back().get(); }

  std::string next() {
    const auto begin = std::min(rest_.find_first_not_of('/'), rest_.size());
    const auto end = std::min(rest_.find('/', begin), rest_.size());
    auto name = rest_.substr(begin, end - begin);
    rest_.erase(0, end);
    return name;
  }

  Result<> step(const std::string& name) {
    if (name == ".") return {};
    if (name == ".." && levels_.size() > 1) {
      levels_.pop_back();
      return {};
    }
    Descriptor found(openat(here(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    Status status{};
    if (!found || fstat(found.get(), &status) != 0) return fail_read(errno, path_);
    if (S_ISLNK(status.st_mode)) return follow(found.get(), status, name);
    const auto good = check_hard_link(status);
    if (good) levels_.push_back(std::move(found));
    return good;
  }

  // As root, rejects a file of root or of a third user that another user has linked into an own
  // directory (without the sysctl fs.protected_hardlinks).
  Result<> check_hard_link(const Status& status) const {
    if (!S_ISREG(status.st_mode) || status.st_nlink == 1 || geteuid() != 0) return {};
    Status directory{};
    if (fstat(here(), &directory) != 0) return fail_read(errno, path_);
    if (is_trusted_owner(directory) || directory.st_uid == status.st_uid) return {};
    return fail(Errc::invalid,
                fmt::format("cannot read '{}': it is a hard link in a directory of user {}; name "
                            "the file in its own directory",
                            shown(path_),
                            directory.st_uid));
  }

  Result<> follow(int link, const Status& status, const std::string& name) {
    Status directory{};
    if (fstat(here(), &directory) != 0) return fail_read(errno, path_);
    if (!is_trusted_owner(status) || !is_trusted_owner(directory)) {
      return fail(Errc::invalid,
                  fmt::format("cannot read '{}': user {} controls the symbolic link '{}' in it; "
                              "name the file that it should lead to",
                              shown(path_),
                              is_trusted_owner(status) ? directory.st_uid : status.st_uid,
                              shown(name)));
    }
    if (++links_ > kMaxLinks) return fail_read(ELOOP, path_);

    struct statfs system {};

    constexpr ino_t kProcRootInode = 1;
    if (fstatfs(link, &system) != 0) return fail_read(errno, path_);
    if (system.f_type == kProcfs && directory.st_ino != kProcRootInode) return take_own(name);
    std::array<char, PATH_MAX> target;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
    const auto length = readlinkat(link, "", target.data(), target.size());
    if (length <= 0) return fail_read(errno, path_);
    rest_.insert(0, std::string(target.data(), static_cast<std::size_t>(length)));
    if (rest_.front() != '/') return {};
    Descriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return fail_read(errno, path_);
    levels_.clear();
    levels_.push_back(std::move(root));
    return {};
  }

  // Magic links below /proc lead anywhere. The descriptors of this process are the only ones that
  // its caller has chosen.
  Result<> take_own(const std::string& name) {
    Status own{};
    Status directory{};
    const auto number = parse_unsigned(name, INT_MAX);
    const bool is_own = number && stat("/proc/self/fd", &own) == 0 &&
                        fstat(here(), &directory) == 0 && own.st_ino == directory.st_ino &&
                        own.st_dev == directory.st_dev;
    if (!is_own || rest_.find_first_not_of('/') != std::string::npos) {
      return fail(Errc::invalid,
                  fmt::format("cannot read '{}': it leads to a file of a process; name the file",
                              shown(path_)));
    }
    own_descriptor_ = static_cast<int>(*number);
    return {};
  }

  std::string path_;
  std::string rest_;
  int links_ = 0;
  std::vector<Descriptor> levels_;
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
    // A duplicate, because open(2) of the link would open a device once more, and fails for
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
