// SPDX-License-Identifier: MIT

#include "setup/persist.h"

#include <array>

#include "base/text.h"

namespace manactl::setup {
namespace {

constexpr std::array kDirectories = {
    kUnitFiles, kBootTarget, kTmpfiles, kNetworkdFiles, kNetworkManagerFiles};

}  // namespace

std::unique_ptr<os::DurableDirectory> Persistence::open(const std::string& directory) const {
  return os::open_durable_directory(root_ + directory, os::DirectoryAccess::world_readable);
}

Result<> Persistence::write(const std::vector<PersistentFile>& files) const {
  std::vector<PersistentFile> written;
  Result<> result;
  for (const auto& file : files) {
    const auto directory = open(file.directory);
    const auto existing = directory->read(file.name);
    if (existing && !has_header(*existing, "")) {
      result = fail(Errc::denied,
                    fmt::format("'{}' exists and was not written by manactl", file.path()));
    } else {
      result = directory->replace(file.name, file.text);
    }
    if (!result) break;
    if (!existing) written.push_back(file);
  }
  if (result) return result;
  for (const auto& file : written) (void)open(file.directory)->remove(file.name);
  return result;
}

std::vector<std::string> Persistence::list(const std::string& interface) const {
  std::vector<std::string> paths;
  for (const std::string directory : kDirectories) {
    const auto files = open(directory);
    const auto names = files->list();
    if (!names) continue;  // manactl writes nothing to a directory that other users may write to
    for (const auto& name : *names) {
      if (name.find("manactl-") == std::string::npos) continue;
      const auto text = files->read(name);
      if (text && has_header(*text, interface))
        paths.push_back(fmt::format("{}/{}", directory, name));
    }
  }
  return paths;
}

Result<std::vector<std::string>> Persistence::remove(const std::string& interface) const {
  auto paths = list(interface);
  for (const auto& path : paths) {
    const auto slash = path.rfind('/');
    const auto removed = open(path.substr(0, slash))->remove(path.substr(slash + 1));
    if (!removed) return tl::unexpected<Error>(removed.error());
  }
  return paths;
}

}  // namespace manactl::setup
