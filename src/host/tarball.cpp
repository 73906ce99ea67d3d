// SPDX-License-Identifier: MIT

#include "host/tarball.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <optional>

#include "base/budget.h"
#include "base/shared_library.h"
#include "base/text.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxEntries = 100'000;

constexpr const char* kLibrary = "libarchive.so.13";

// The functions of libarchive, which is loaded at run time.
struct Library {
  decltype(&archive_write_new) write_new;
  decltype(&archive_write_add_filter_none) add_none;
  decltype(&archive_write_add_filter_gzip) add_gzip;
  decltype(&archive_write_add_filter_xz) add_xz;
  decltype(&archive_write_add_filter_zstd) add_zstd;
  decltype(&archive_write_set_format_pax_restricted) set_pax;
  decltype(&archive_write_set_filter_option) set_option;
  decltype(&archive_write_open_fd) write_open;
  decltype(&archive_write_header) write_header;
  decltype(&archive_write_data) write_data;
  decltype(&archive_write_close) write_close;
  decltype(&archive_write_free) write_free;
  decltype(&archive_read_new) read_new;
  decltype(&archive_read_support_filter_gzip) support_gzip;
  decltype(&archive_read_support_filter_xz) support_xz;
  decltype(&archive_read_support_filter_zstd) support_zstd;
  decltype(&archive_read_support_format_tar) support_tar;
  decltype(&archive_read_open_fd) read_open;
  decltype(&archive_read_next_header) next_header;
  decltype(&archive_read_data) read_data;
  decltype(&archive_read_free) read_free;
  decltype(&archive_error_string) error_string;
  decltype(&archive_entry_new) entry_new;
  decltype(&archive_entry_free) entry_free;
  decltype(&archive_entry_set_pathname) set_pathname;
  decltype(&archive_entry_set_filetype) set_filetype;
  decltype(&archive_entry_set_perm) set_perm;
  decltype(&archive_entry_set_size) set_size;
  decltype(&archive_entry_set_symlink) set_symlink;
  decltype(&archive_entry_pathname) pathname;
  decltype(&archive_entry_filetype) filetype;
  decltype(&archive_entry_size) size;
  decltype(&archive_entry_symlink) symlink;
  decltype(&archive_entry_hardlink) hardlink;
};

Result<Library> load() {
  const auto opened = SharedLibrary::open(kLibrary);
  if (!opened) return because(opened.error(), "bundles need libarchive");
  Library library{};
  FunctionBinder bind(*opened);
  bind("archive_write_new", library.write_new);
  bind("archive_write_add_filter_none", library.add_none);
  bind("archive_write_add_filter_gzip", library.add_gzip);
  bind("archive_write_add_filter_xz", library.add_xz);
  bind("archive_write_add_filter_zstd", library.add_zstd);
  bind("archive_write_set_format_pax_restricted", library.set_pax);
  bind("archive_write_set_filter_option", library.set_option);
  bind("archive_write_open_fd", library.write_open);
  bind("archive_write_header", library.write_header);
  bind("archive_write_data", library.write_data);
  bind("archive_write_close", library.write_close);
  bind("archive_write_free", library.write_free);
  bind("archive_read_new", library.read_new);
  bind("archive_read_support_filter_gzip", library.support_gzip);
  bind("archive_read_support_filter_xz", library.support_xz);
  bind("archive_read_support_filter_zstd", library.support_zstd);
  bind("archive_read_support_format_tar", library.support_tar);
  bind("archive_read_open_fd", library.read_open);
  bind("archive_read_next_header", library.next_header);
  bind("archive_read_data", library.read_data);
  bind("archive_read_free", library.read_free);
  bind("archive_error_string", library.error_string);
  bind("archive_entry_new", library.entry_new);
  bind("archive_entry_free", library.entry_free);
  bind("archive_entry_set_pathname", library.set_pathname);
  bind("archive_entry_set_filetype", library.set_filetype);
  bind("archive_entry_set_perm", library.set_perm);
  bind("archive_entry_set_size", library.set_size);
  bind("archive_entry_set_symlink", library.set_symlink);
  bind("archive_entry_pathname", library.pathname);
  bind("archive_entry_filetype", library.filetype);
  bind("archive_entry_size", library.size);
  bind("archive_entry_symlink", library.symlink);
  bind("archive_entry_hardlink", library.hardlink);
  if (bind.problem()) return tl::unexpected<Error>(*bind.problem());
  return library;
}

// Owns an archive or an entry. The function that frees it is loaded at run time.
template <class T, class Free>
using Handle = std::unique_ptr<T, Free*>;

std::string reason(const Library& library, archive* handle) {
  const char* text = library.error_string(handle);
  return printable(text == nullptr ? "no reason given" : text);
}

Result<> write_entry(const Library& library,
                     archive* out,
                     const std::string& path,
                     const TreeEntry& content) {
  const auto refuse = [&] {
    return fail(Errc::io, fmt::format("cannot write '{}': {}", path, reason(library, out)));
  };
  constexpr unsigned kFileMode = 0644;
  constexpr unsigned kDirectoryMode = 0755;
  const Handle<archive_entry, decltype(archive_entry_free)> entry(library.entry_new(),
                                                                  library.entry_free);
  if (!entry) return fail(Errc::io, "cannot allocate an archive entry");
  const bool is_file = content.kind == TreeEntry::Kind::file;
  library.set_pathname(entry.get(), path.c_str());
  library.set_size(entry.get(), is_file ? static_cast<la_int64_t>(content.text.size()) : 0);
  library.set_perm(entry.get(),
                   content.kind == TreeEntry::Kind::directory ? kDirectoryMode : kFileMode);
  if (content.kind == TreeEntry::Kind::link) {
    library.set_filetype(entry.get(), AE_IFLNK);
    library.set_symlink(entry.get(), content.text.c_str());
  } else {
    library.set_filetype(entry.get(), is_file ? AE_IFREG : AE_IFDIR);
  }
  if (library.write_header(out, entry.get()) < ARCHIVE_WARN) return refuse();
  if (is_file && !content.text.empty() &&
      library.write_data(out, content.text.data(), content.text.size()) !=
          static_cast<la_ssize_t>(content.text.size())) {
    return refuse();
  }
  return {};
}

// The path without "./" and trailing slashes. Fails if the path leads out of the bundle.
Result<std::string> checked_path(const char* raw) {
  const std::string_view path = raw == nullptr ? "" : raw;
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid,
                fmt::format("the bundle has an entry '{}' {}", printable(path), why));
  };
  if (path.size() >= PATH_MAX) return refuse("with too long a name");
  if (path.starts_with('/')) return refuse("with an absolute name");
  std::vector<std::string> parts;
  for (const auto part : split(path, '/')) {
    if (part == "..") return refuse("that leads out of it");
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  return join(parts, "/");
}

Budget new_budget() {
  return {"the bundle", kMaxBundle};
}

// The memory of an entry, except for its contents.
std::size_t cost_of(std::string_view path) {
  constexpr std::size_t kNode = 160;  // of std::map, with both strings
  return kNode + path.size();
}

// Reads the entries of an archive into a tree.
class TarballReader {
 public:
  TarballReader(const Library& library, archive* in) : library_(library), in_(in) {}

  Result<> read_entry(archive_entry* entry);

  TreeEntries take() && { return std::move(tree_); }

 private:
  Result<> add(const std::string& path, TreeEntry entry);
  Result<> add_parents(std::string_view path);
  Result<std::string> read_content(archive_entry* entry);

  const Library& library_;
  archive* in_;
  TreeEntries tree_;
  Budget budget_ = new_budget();
  std::size_t entries_ = 0;
};

Result<> TarballReader::read_entry(archive_entry* entry) {
  if (++entries_ > kMaxEntries) {
    return fail(Errc::invalid, fmt::format("the bundle has more than {} entries", kMaxEntries));
  }
  const auto path = checked_path(library_.pathname(entry));
  if (!path) return tl::unexpected<Error>(path.error());
  if (path->empty()) return {};  // the entry "./"
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid,
                fmt::format("the bundle has an entry '{}' {}", printable(*path), why));
  };
  const auto type = library_.filetype(entry);
  const char* target = library_.symlink(entry);
  if (library_.hardlink(entry) != nullptr ||
      (type != AE_IFREG && type != AE_IFDIR && (type != AE_IFLNK || target == nullptr))) {
    return refuse("that is not a file, link or directory");
  }
  if (type == AE_IFDIR) return add(*path, {TreeEntry::Kind::directory, ""});
  if (type == AE_IFLNK) {
    if (std::string_view(target).size() >= PATH_MAX) return refuse("whose target is too long");
    return add(*path, {TreeEntry::Kind::link, target});
  }
  auto text = read_content(entry);
  if (!text) return tl::unexpected<Error>(text.error());
  return add(*path, {TreeEntry::Kind::file, std::move(*text)});
}

// A directory does not replace an entry: archives may list it after its files.
Result<> TarballReader::add(const std::string& path, TreeEntry entry) {
  auto charged = add_parents(path);
  if (charged) charged = budget_.charge(cost_of(path));
  if (charged && entry.kind == TreeEntry::Kind::link) charged = budget_.charge(entry.text.size());
  if (!charged) return charged;
  if (entry.kind == TreeEntry::Kind::directory) {
    tree_.try_emplace(path, std::move(entry));
  } else {
    tree_.insert_or_assign(path, std::move(entry));
  }
  return {};
}

// A short archive can imply many long directory names: "a/a/a/...".
Result<> TarballReader::add_parents(std::string_view path) {
  for (auto end = path.rfind('/'); end != std::string_view::npos; end = path.rfind('/')) {
    path = path.substr(0, end);
    std::string parent(path);
    if (tree_.contains(parent)) return {};
    auto charged = budget_.charge(cost_of(path));
    if (!charged) return charged;
    tree_.emplace(std::move(parent), TreeEntry{TreeEntry::Kind::directory, ""});
  }
  return {};
}

Result<std::string> TarballReader::read_content(archive_entry* entry) {
  constexpr std::size_t kBlock = 16384;
  const auto announced = std::max<la_int64_t>(library_.size(entry), 0);
  auto charged = budget_.charge(static_cast<std::size_t>(announced));
  std::string text;
  if (charged) text.reserve(static_cast<std::size_t>(announced));
  std::vector<char> buffer(kBlock);
  while (charged) {
    const auto count = library_.read_data(in_, buffer.data(), buffer.size());
    if (count < 0) {
      return fail(Errc::invalid, fmt::format("the bundle is damaged: {}", reason(library_, in_)));
    }
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    // libarchive ends an entry at its announced size. Do not depend on it.
    if (text.size() > static_cast<std::size_t>(announced)) {
      charged = budget_.charge(static_cast<std::size_t>(count));
    }
  }
  return tl::unexpected<Error>(charged.error());
}

// Returns false also if this libarchive would start a program for the compression.
bool add_compression(const Library& library, TarCompression compression, archive* out) {
  switch (compression) {
    case TarCompression::none:
      return library.add_none(out) == ARCHIVE_OK;
    case TarCompression::gzip:
      // Omit the timestamp, so that equal contents give equal gzip streams.
      return library.add_gzip(out) == ARCHIVE_OK &&
             library.set_option(out, "gzip", "timestamp", nullptr) == ARCHIVE_OK;
    case TarCompression::xz:
      return library.add_xz(out) == ARCHIVE_OK;
    case TarCompression::zstd:
      return library.add_zstd(out) == ARCHIVE_OK;
  }
  return false;
}

}  // namespace

std::optional<TarCompression> compression_of(std::string_view path) {
  for (const auto& row : kBundleSuffixes) {
    if (path.ends_with(row.word)) return row.value;
  }
  return std::nullopt;
}

Result<> write_tarball(const TreeEntries& tree, TarCompression compression, int descriptor) {
  const auto library = load();
  if (!library) return tl::unexpected<Error>(library.error());
  const Handle<archive, decltype(archive_write_free)> out(library->write_new(),
                                                          library->write_free);
  if (!out) return fail(Errc::io, "cannot allocate an archive");
  const bool opened = add_compression(*library, compression, out.get()) &&
                      library->set_pax(out.get()) == ARCHIVE_OK &&
                      library->write_open(out.get(), descriptor) == ARCHIVE_OK;
  if (!opened) {
    return fail(Errc::io, fmt::format("cannot start an archive: {}", reason(*library, out.get())));
  }
  for (const auto& [path, entry] : tree) {
    auto written = write_entry(*library, out.get(), path, entry);
    if (!written) return written;
  }
  if (library->write_close(out.get()) != ARCHIVE_OK) {
    return fail(Errc::io, fmt::format("cannot finish an archive: {}", reason(*library, out.get())));
  }
  return {};
}

Result<> check_size(const TreeEntries& tree) {
  Budget budget = new_budget();
  for (const auto& [path, entry] : tree) {
    auto charged = budget.charge(cost_of(path) + entry.text.size());
    if (!charged) return charged;
  }
  return {};
}

// Enables the kinds of compression that libarchive contains. It was built without the others and
// would start a program for them.
void support_compression(const Library& library, archive* in) {
  for (const auto support : {library.support_gzip, library.support_xz, library.support_zstd}) {
    const Handle<archive, decltype(archive_read_free)> trial(library.read_new(), library.read_free);
    if (trial && support(trial.get()) == ARCHIVE_OK) support(in);
  }
}

Result<TreeEntries> read_tarball(int descriptor) {
  constexpr std::size_t kBlock = 65536;
  const auto library = load();
  if (!library) return tl::unexpected<Error>(library.error());
  const Handle<archive, decltype(archive_read_free)> in(library->read_new(), library->read_free);
  if (!in) return fail(Errc::io, "cannot allocate an archive");
  const auto refuse = [&] {
    return fail(Errc::invalid, fmt::format("not a tar archive: {}", reason(*library, in.get())));
  };
  support_compression(*library, in.get());
  const bool opened = library->support_tar(in.get()) == ARCHIVE_OK &&
                      library->read_open(in.get(), descriptor, kBlock) == ARCHIVE_OK;
  if (!opened) return refuse();
  TarballReader reader(*library, in.get());
  archive_entry* entry = nullptr;
  while (true) {
    const int status = library->next_header(in.get(), &entry);
    if (status == ARCHIVE_EOF) return std::move(reader).take();
    if (status < ARCHIVE_WARN) return refuse();
    const auto read = reader.read_entry(entry);
    if (!read) return tl::unexpected<Error>(read.error());
  }
}

}  // namespace manactl::host
