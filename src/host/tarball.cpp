// SPDX-License-Identifier: MIT

#include "host/tarball.h"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <memory>
#include <optional>

#include "base/shared_library.h"
#include "base/text.h"

namespace manactl::host {
namespace {

// Limits for an untrusted bundle.
constexpr std::size_t kMaxBytes = 256U << 20;
constexpr std::size_t kMaxEntries = 100'000;
constexpr std::size_t kMaxPathBytes = 4096;

constexpr const char* kLibrary = "libarchive.so.13";

// The functions of libarchive, which is loaded at run time.
struct Library {
  decltype(&archive_write_new) write_new;
  decltype(&archive_write_add_filter_gzip) add_gzip;
  decltype(&archive_write_set_format_pax_restricted) set_pax;
  decltype(&archive_write_set_filter_option) set_option;
  decltype(&archive_write_open_fd) write_open;
  decltype(&archive_write_header) write_header;
  decltype(&archive_write_data) write_data;
  decltype(&archive_write_close) write_close;
  decltype(&archive_write_free) write_free;
  decltype(&archive_read_new) read_new;
  decltype(&archive_read_support_filter_gzip) support_gzip;
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
  decltype(&archive_entry_symlink) symlink;
  decltype(&archive_entry_hardlink) hardlink;
};

Result<Library> load() {
  const auto opened = SharedLibrary::open(kLibrary);
  if (!opened) return because(opened.error(), "bundles need libarchive");
  Library library{};
  FunctionBinder bind(*opened);
  bind("archive_write_new", library.write_new);
  bind("archive_write_add_filter_gzip", library.add_gzip);
  bind("archive_write_set_format_pax_restricted", library.set_pax);
  bind("archive_write_set_filter_option", library.set_option);
  bind("archive_write_open_fd", library.write_open);
  bind("archive_write_header", library.write_header);
  bind("archive_write_data", library.write_data);
  bind("archive_write_close", library.write_close);
  bind("archive_write_free", library.write_free);
  bind("archive_read_new", library.read_new);
  bind("archive_read_support_filter_gzip", library.support_gzip);
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
  return printable(text == nullptr ? "no reason given" : text, 200);
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
  std::string path = raw == nullptr ? "" : raw;
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid,
                fmt::format("the bundle has an entry '{}' {}", printable(path, 100), why));
  };
  if (path.size() > kMaxPathBytes) return refuse("with too long a name");
  if (path.starts_with('/')) return refuse("with an absolute name");
  std::vector<std::string> parts;
  for (const auto part : split(path, '/')) {
    if (part == "..") return refuse("that leads out of it");
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  return join(parts, "/");
}

// The numbers of bytes and entries that may still be read.
struct Budget {
  std::size_t bytes = kMaxBytes;
  std::size_t entries = kMaxEntries;
};

Result<std::string> read_content(const Library& library, archive* in, Budget& budget) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const auto count = library.read_data(in, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0) {
      return fail(Errc::invalid, fmt::format("the bundle is damaged: {}", reason(library, in)));
    }
    const auto bytes = static_cast<std::size_t>(count);
    if (bytes > budget.bytes) {
      return fail(Errc::invalid,
                  fmt::format("the bundle contains more than {}", human_bytes(kMaxBytes)));
    }
    budget.bytes -= bytes;
    text.append(buffer.data(), bytes);
  }
}

Result<> read_entry(
    const Library& library, archive* in, archive_entry* entry, Budget& budget, TreeEntries& tree) {
  if (budget.entries-- == 0) {
    return fail(Errc::invalid, fmt::format("the bundle has more than {} entries", kMaxEntries));
  }
  const auto path = checked_path(library.pathname(entry));
  if (!path) return tl::unexpected<Error>(path.error());
  if (path->empty()) return {};  // the entry "./"
  const auto type = library.filetype(entry);
  const char* target = library.symlink(entry);
  if (library.hardlink(entry) != nullptr ||
      (type != AE_IFREG && type != AE_IFDIR && (type != AE_IFLNK || target == nullptr))) {
    return fail(Errc::invalid,
                fmt::format("the bundle has an entry '{}' that is not a file, link or directory",
                            printable(*path, 100)));
  }
  if (type == AE_IFLNK) {
    tree[*path] = {TreeEntry::Kind::link, target};
  } else if (type == AE_IFDIR) {
    tree.try_emplace(*path, TreeEntry{TreeEntry::Kind::directory, ""});
  } else {
    auto text = read_content(library, in, budget);
    if (!text) return tl::unexpected<Error>(text.error());
    tree[*path] = {TreeEntry::Kind::file, std::move(*text)};
  }
  return {};
}

}  // namespace

Result<> write_tarball(const TreeEntries& tree, int descriptor) {
  const auto library = load();
  if (!library) return tl::unexpected<Error>(library.error());
  const Handle<archive, decltype(archive_write_free)> out(library->write_new(),
                                                          library->write_free);
  if (!out) return fail(Errc::io, "cannot allocate an archive");
  // Omit the timestamp, so that equal contents give equal gzip streams.
  const bool opened = library->add_gzip(out.get()) == ARCHIVE_OK &&
                      library->set_option(out.get(), "gzip", "timestamp", nullptr) == ARCHIVE_OK &&
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

Result<TreeEntries> read_tarball(int descriptor) {
  constexpr std::size_t kBlock = 65536;
  const auto library = load();
  if (!library) return tl::unexpected<Error>(library.error());
  const Handle<archive, decltype(archive_read_free)> in(library->read_new(), library->read_free);
  if (!in) return fail(Errc::io, "cannot allocate an archive");
  const auto refuse = [&] {
    return fail(Errc::invalid, fmt::format("not a tar.gz: {}", reason(*library, in.get())));
  };
  const bool opened = library->support_gzip(in.get()) == ARCHIVE_OK &&
                      library->support_tar(in.get()) == ARCHIVE_OK &&
                      library->read_open(in.get(), descriptor, kBlock) == ARCHIVE_OK;
  if (!opened) return refuse();
  TreeEntries tree;
  Budget budget;
  archive_entry* entry = nullptr;
  while (true) {
    const int status = library->next_header(in.get(), &entry);
    if (status == ARCHIVE_EOF) return tree;
    if (status < ARCHIVE_WARN) return refuse();
    const auto read = read_entry(*library, in.get(), entry, budget, tree);
    if (!read) return tl::unexpected<Error>(read.error());
  }
}

}  // namespace manactl::host
