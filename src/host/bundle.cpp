// SPDX-License-Identifier: MIT

#include "host/bundle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/input_file.h"
#include "base/trusted_directory.h"
#include "host/tarball.h"
#include "os/memory_files.h"
#include "os/owned.h"

namespace manactl::host {
namespace {

// Creates a new file with the name `temporary`; never opens an existing file.
Result<Descriptor> create_beside(const TrustedDirectory& directory,
                                 const std::string& name,
                                 std::string& temporary) {
  constexpr int kAttempts = 100;
  constexpr mode_t kOwnerOnly = 0600;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  for (int i = 0; i < kAttempts; ++i) {
    temporary = fmt::format("{}.{}-{}.tmp", name, getpid(), i);
    Descriptor file(openat(directory.get(), temporary.c_str(), kFlags, kOwnerOnly));
    if (file) return file;
    if (errno != EEXIST) break;
  }
  return fail_errno(errno, fmt::format("cannot create '{}'", temporary));
}

// Rejects special files and links: as root, rename(2) would replace /dev/null or /dev/stdout.
Result<> check_replaceable(const TrustedDirectory& directory, const std::string& name) {
  struct stat status{};

  const int found = fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW);
  if (found != 0 || S_ISREG(status.st_mode)) return {};
  return fail(Errc::invalid,
              S_ISDIR(status.st_mode)   ? "it is a directory"
              : S_ISLNK(status.st_mode) ? "it is a symbolic link"
                                        : "it is not a regular file");
}

Result<> write_and_rename(const TreeEntries& tree,
                          const TrustedDirectory& directory,
                          const std::string& name,
                          TarCompression compression) {
  const int at = directory.get();
  std::string temporary;
  const auto file = create_beside(directory, name, temporary);
  if (!file) return tl::unexpected<Error>(file.error());
  // After the rename, there is nothing to remove. Memory may be short, which throws.
  const auto remove = [&](const void*) { unlinkat(at, temporary.c_str(), 0); };
  const std::unique_ptr<const void, decltype(remove)> removal(&temporary, remove);
  auto written = write_tarball(tree, compression, file->get());
  if (!written) return written;
  if (fsync(file->get()) != 0) return fail_errno(errno, "cannot sync it to disk");
  // rename(2) does not follow a symbolic link that was created at `name` after the check.
  if (renameat(at, temporary.c_str(), at, name.c_str()) != 0)
    return fail_errno(errno, "cannot rename the temporary file");
  return {};
}

Result<> write_to(const std::string& path, const TreeEntries& tree) {
  const auto place = split_file_path(path);
  if (!place) return tl::unexpected<Error>(place.error());
  const auto directory = TrustedDirectory::open(place->directory, Trust::any_owner);
  if (!directory) return tl::unexpected<Error>(directory.error());
  auto replaceable = check_replaceable(*directory, place->name);
  if (!replaceable) return replaceable;
  auto good = check_size(tree);
  if (!good) return good;
  const auto compression = compression_of(path).value_or(TarCompression::gzip);
  return write_and_rename(tree, *directory, place->name, compression);
}

}  // namespace

Result<BundleContents> bundle_contents(const SystemRecorder& recorder,
                                       const BundleOptions& options) {
  BundleContents contents{recorder.tree(), {}};
  for (const auto& [path, text] : options.extra)
    contents.tree[path] = {TreeEntry::Kind::file, text};
  if (!options.scrub) return contents;
  auto scrubbed =
      scrubbed_tree({std::move(contents.tree), recorder.read_paths(), recorder.identity_files()},
                    &contents.replaced);
  if (!scrubbed) return tl::unexpected<Error>(scrubbed.error());
  contents.tree = std::move(*scrubbed);
  return contents;
}

Result<> write_bundle(const TreeEntries& tree, const std::string& path) {
  const auto written = write_to(path, tree);
  if (!written) return because(written.error(), fmt::format("cannot write bundle '{}'", path));
  return {};
}

Result<> write_bundle(const SystemRecorder& recorder,
                      const BundleOptions& options,
                      const std::string& path) {
  const auto contents = bundle_contents(recorder, options);
  if (!contents) return because(contents.error(), fmt::format("cannot write bundle '{}'", path));
  return write_bundle(contents->tree, path);
}

std::unique_ptr<os::Files> files_of(TreeEntries tree) {
  auto files = std::make_unique<os::MemoryFiles>();
  while (!tree.empty()) {
    // Extracts each entry, so that memory is never needed for two trees.
    auto node = tree.extract(tree.begin());
    const auto& name = node.key();
    auto& entry = node.mapped();
    switch (entry.kind) {
      case TreeEntry::Kind::file:
        files->add_file(name, std::move(entry.text));
        break;
      case TreeEntry::Kind::link:
        files->add_link(name, std::move(entry.text));
        break;
      case TreeEntry::Kind::directory:
        files->add_directory(name);
        break;
    }
  }
  return files;
}

Result<std::unique_ptr<os::Files>> read_bundle(const std::string& path) {
  const auto doing = [&] { return fmt::format("cannot read bundle '{}'", path); };
  const auto file = open_input_file(path, "a bundle");
  if (!file) return tl::unexpected<Error>(file.error());
  auto tree = read_tarball(file->get());
  if (!tree) return because(tree.error(), doing());
  return files_of(std::move(*tree));
}

}  // namespace manactl::host
