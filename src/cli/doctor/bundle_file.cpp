// SPDX-License-Identifier: MIT

#include "cli/doctor/bundle_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/characters.h"
#include "base/text.h"
#include "base/trusted_directory.h"
#include "host/tarball.h"

namespace manactl::cli {
namespace {

bool is_regular_file(const std::string& path) {
  struct stat status{};

  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// False if `path` is known to be missing, or not to be a directory.
bool may_be_directory(const std::string& path) {
  struct stat status{};

  if (stat(path.c_str(), &status) != 0) return errno != ENOENT && errno != ENOTDIR;
  return S_ISDIR(status.st_mode);
}

}  // namespace

std::string excerpt_name(std::size_t number, const std::string& name) {
  std::string base = name.substr(name.rfind('/') + 1);
  for (char& c : base) {
    const bool plain = is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  if (name == "-") base = "stdin";
  constexpr std::size_t kMaxLength = 100;
  return fmt::format("logs/{}-{}", number, base.substr(0, kMaxLength));
}

std::string objection_to_bundle(const std::string& path) {
  if (path.empty()) return {};
  if (!host::compression_of(path)) {
    return fmt::format(
        "the name '{}' does not end in .tar.gz, .tgz, .tar.xz, .tar.zst or .tar, "
        "and a bundle is recognized by its suffix",
        printable(path));
  }
  const auto file = split_file_path(path);
  if (!file) return file.error().message;
  if (!may_be_directory(file->directory)) {
    return fmt::format("'{}' is not a directory; choose another path, or create it",
                       printable(file->directory));
  }
  if (!is_regular_file(path)) return {};
  return fmt::format("'{}' exists; remove it, or choose another name", printable(path));
}

}  // namespace manactl::cli
