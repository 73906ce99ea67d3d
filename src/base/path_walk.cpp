// SPDX-License-Identifier: MIT

#include "base/path_walk.h"

#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

namespace manactl {

PathWalk::PathWalk(Descriptor root, std::string path, Descriptor start)
    : root_(std::move(root)), rest_(std::move(path)), is_relative_(static_cast<bool>(start)) {
  if (start) levels_.push_back({std::move(start), "."});
}

std::string PathWalk::next() {
  for (;;) {
    const auto begin = std::min(rest_.find_first_not_of('/'), rest_.size());
    const auto end = std::min(rest_.find('/', begin), rest_.size());
    auto name = rest_.substr(begin, end - begin);
    rest_.erase(0, end);
    if (name == ".." && !(is_relative_ && levels_.size() == 1)) {
      if (!levels_.empty()) levels_.pop_back();
    } else if (name != ".") {
      return name;
    }
  }
}

Descriptor PathWalk::take_here() {
  return std::move(levels_.empty() ? root_ : levels_.back().file);
}

std::string PathWalk::path_of(const std::string& name) const {
  return levels_.empty() ? '/' + name : levels_.back().path + '/' + name;
}

void PathWalk::enter(Descriptor file, const std::string& name) {
  auto path = path_of(name);
  if (name == "..") levels_.clear();
  levels_.push_back({std::move(file), std::move(path)});
}

int PathWalk::follow(int link) {
  constexpr int kMaxLinks = 40;       // MAXSYMLINKS of the kernel
  std::array<char, PATH_MAX> target;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
  const auto length = readlinkat(link, "", target.data(), target.size());
  if (length <= 0) return length < 0 ? errno : ENOENT;
  if (++links_ > kMaxLinks) return ELOOP;
  rest_.insert(0, std::string(target.data(), static_cast<std::size_t>(length)));
  if (rest_.front() == '/') {
    levels_.clear();
    is_relative_ = false;
  }
  return 0;
}

bool is_trusted_owner(const struct stat& status) {
  return status.st_uid == 0 || status.st_uid == geteuid();
}

bool is_writable_by_others(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

bool is_trusted_directory(const struct stat& status) {
  const bool is_shared = is_writable_by_others(status) && (status.st_mode & S_ISVTX) == 0;
  return is_trusted_owner(status) && !is_shared;
}

bool may_be_magic_link(int link, int directory) {
  constexpr long kProcfs = 0x9fa0;  // PROC_SUPER_MAGIC of linux/magic.h
  constexpr ino_t kProcRootInode = 1;

  struct statfs system{};

  struct stat status{};

  if (fstatfs(link, &system) != 0) return true;
  if (system.f_type != kProcfs) return false;
  return fstat(directory, &status) != 0 || status.st_ino != kProcRootInode;
}

}  // namespace manactl
