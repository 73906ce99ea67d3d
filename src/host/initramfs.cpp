// SPDX-License-Identifier: MIT

#include "host/initramfs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/byte_source.h"
#include "base/text.h"
#include "host/decompress.h"
#include "host/driver_modules.h"
#include "os/modprobe_config.h"

namespace manactl::host {
namespace {

// The kernel's format "newc": a header of 110 characters, and hexadecimal numbers of 8 digits.
constexpr std::size_t kHeader = 110, kNumber = 8, kFileSize = 54, kNameSize = 94, kAlignment = 4;
constexpr std::size_t kMaxName = 4096;
constexpr std::size_t kMaxImage = 96U << 20U;  // bytes; a bundle has a second copy
constexpr std::string_view kTrailer = "TRAILER!!!";

// A stream that can be examined before it is read.
class Lookahead final : public ByteSource {
 public:
  explicit Lookahead(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // The next bytes, fewer than `count` only at the end.
  Result<std::string_view> peek(std::size_t count);

  // Fails if there are fewer than `count` bytes.
  Result<> skip(std::size_t count);

  // Skips zeros, which are between archives, and the newline at the end of a file of a bundle.
  Result<> skip_padding();

  Result<std::size_t> read(std::span<char> into) override;

 private:
  // Reads a block. Returns false at the end.
  Result<bool> fill();

  std::unique_ptr<ByteSource> source_;
  std::string buffer_;
  std::size_t at_ = 0;
};

Result<bool> Lookahead::fill() {
  constexpr std::size_t kBlock = 64U << 10U;
  buffer_.erase(0, std::exchange(at_, 0));
  const auto used = buffer_.size();
  buffer_.resize(used + kBlock);
  const auto got = source_->read(std::span(buffer_).subspan(used));
  buffer_.resize(used + got.value_or(0));
  if (!got) return tl::unexpected<Error>(got.error());
  return *got != 0;
}

Result<std::string_view> Lookahead::peek(std::size_t count) {
  while (buffer_.size() - at_ < count) {
    const auto more = fill();
    if (!more) return tl::unexpected<Error>(more.error());
    if (!*more) break;
  }
  return std::string_view(buffer_).substr(at_, count);
}

Result<> Lookahead::skip(std::size_t count) {
  while (count > 0) {
    const auto next = peek(1);
    if (!next) return tl::unexpected<Error>(next.error());
    if (next->empty()) return fail(Errc::invalid, "the initramfs is truncated");
    const auto step = std::min(count, buffer_.size() - at_);
    at_ += step;
    count -= step;
  }
  return {};
}

Result<> Lookahead::skip_padding() {
  constexpr std::string_view kPadding("\0\n", 2);
  while (true) {
    const auto next = peek(1);
    if (!next) return tl::unexpected<Error>(next.error());
    at_ = std::min(buffer_.find_first_not_of(kPadding, at_), buffer_.size());
    if (next->empty() || at_ < buffer_.size()) return {};
  }
}

Result<std::size_t> Lookahead::read(std::span<char> into) {
  const auto next = peek(1);
  if (!next) return tl::unexpected<Error>(next.error());
  const auto count = std::min(into.size(), buffer_.size() - at_);
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
  at_ += count;
  return count;
}

std::size_t padding_after(std::size_t size) {
  return (kAlignment - size % kAlignment) % kAlignment;
}

// "mana_ib" for "usr/lib/modules/6.8.0/kernel/drivers/infiniband/hw/mana/mana_ib.ko.zst".
std::string module_of(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto suffix = name.find(".ko");
  return suffix == std::string_view::npos ? std::string() : os::module_key(name.substr(0, suffix));
}

// dracut can pack the modules in a file system of their own.
bool is_packed_root(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return name == "squashfs-root.img" || name == "squash-root.img" || name == "erofs-root.img";
}

class InitramfsReader {
 public:
  explicit InitramfsReader(const std::vector<std::string_view>& names) : missing_(names) {}

  // Reads archives until every module was found or the image ends.
  Result<> read(std::unique_ptr<ByteSource> image, bool is_compressed);

  bool is_missing(std::string_view name) const {
    return std::ranges::find(missing_, name) != missing_.end();
  }

 private:
  // Reads the file of an archive at the beginning of `image`.
  Result<> read_file(Lookahead& image);

  std::vector<std::string_view> missing_;
  bool has_packed_root_ = false;
};

Result<> InitramfsReader::read(std::unique_ptr<ByteSource> source, bool is_compressed) {
  constexpr std::size_t kMagic = 6;
  auto image = std::make_unique<Lookahead>(std::move(source));
  while (!missing_.empty()) {
    const auto padding = image->skip_padding();
    if (!padding) return padding;
    const auto next = image->peek(kMagic);
    if (!next) return tl::unexpected<Error>(next.error());
    if (next->empty()) break;
    const bool is_archive = *next == "070701" || *next == "070702";
    if (!is_archive && !is_compressed) return read(decompressed(std::move(image)), true);
    if (!is_archive) return fail(Errc::invalid, "the initramfs has an unknown format");
    const auto good = read_file(*image);
    if (!good) return good;
  }
  if (missing_.empty() || !has_packed_root_) return {};
  return fail(
      Errc::unsupported,
      "the initramfs has its modules in a squashfs or erofs image, which manactl cannot read");
}

Result<> InitramfsReader::read_file(Lookahead& image) {
  const auto header = image.peek(kHeader);
  if (!header) return tl::unexpected<Error>(header.error());
  const auto number = [&](std::size_t at) {
    return parse_hex(header->substr(std::min(at, header->size()), kNumber));
  };
  const auto name_size = number(kNameSize), file_size = number(kFileSize);
  if (!name_size || !file_size || *name_size == 0 || *name_size > kMaxName) {
    return fail(Errc::invalid, "the initramfs is damaged");
  }
  const auto whole = image.peek(kHeader + *name_size);
  if (!whole) return tl::unexpected<Error>(whole.error());
  const auto name = whole->substr(std::min(kHeader, whole->size()), *name_size - 1);
  std::erase(missing_, module_of(name));
  has_packed_root_ = has_packed_root_ || is_packed_root(name);
  const auto size = static_cast<std::size_t>(*file_size);
  const auto start = kHeader + static_cast<std::size_t>(*name_size);
  return image.skip(start + padding_after(start) + size + padding_after(size));
}

// A file without contents.
std::string cpio_entry(std::string_view name) {
  std::string entry = "070701";
  constexpr std::size_t kNumbers = (kHeader - 6) / kNumber;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const bool is_name_size = entry.size() == kNameSize;
    entry += fmt::format("{:08x}", is_name_size ? name.size() + 1 : 0);
  }
  entry += name;
  entry.append(1 + padding_after(entry.size() + 1), '\0');
  return entry;
}

}  // namespace

Result<std::vector<std::string_view>> modules_in_initramfs(
    std::string_view image, const std::vector<std::string_view>& names) {
  Result<> read;
  for (const bool newline : {false, true}) {
    InitramfsReader reader(names);
    read = reader.read(std::make_unique<MemorySource>(image, newline), false);
    if (!read && read.error().code == Errc::invalid) continue;
    if (!read) break;
    std::vector<std::string_view> found = names;
    std::erase_if(found, [&](std::string_view name) { return reader.is_missing(name); });
    return found;
  }
  return tl::unexpected<Error>(read.error());
}

Result<std::vector<std::string_view>> modules_in_initramfs_of(
    const os::Files& files, std::string_view release, const std::vector<std::string_view>& names) {
  // As Debian and Ubuntu, RHEL and Azure Linux, and SLES name it.
  const std::array paths = {fmt::format("boot/initrd.img-{}", release),
                            fmt::format("boot/initramfs-{}.img", release),
                            fmt::format("boot/initrd-{}", release)};
  const auto found =
      std::ranges::find_if(paths, [&](const auto& path) { return exists(files, path); });
  if (found == paths.end()) {
    return fail(Errc::not_found, fmt::format("/boot has no initramfs of {}", printable(release)));
  }
  const auto image = files.read(*found, kMaxImage);
  if (!image) return tl::unexpected<Error>(image.error());
  auto modules = modules_in_initramfs(*image, names);
  if (!modules) return because(modules.error(), fmt::format("cannot read /{}", *found));
  return modules;
}

std::string reduced_initramfs(std::string_view image) {
  const auto found =
      modules_in_initramfs(image, {kInitramfsModules.begin(), kInitramfsModules.end()});
  // An image that cannot be read stays unreadable.
  if (!found) return "removed";
  std::string archive;
  for (const auto name : *found) archive += cpio_entry(fmt::format("{}.ko", name));
  return archive + cpio_entry(kTrailer);
}

std::string_view network_option(std::string_view word) {
  const auto equals = word.find('=');
  const auto key = word.substr(0, equals);
  const auto value =
      equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (key == "rd.neednet")
    return value == "0" ? std::string_view() : word.substr(0, key.size() + 2);
  if (key == "ip" && (value == "off" || value == "none")) return {};
  if (key == "ip" || key == "netroot" || key == "nfsroot") return word.substr(0, key.size() + 1);
  if (key != "root") return {};
  for (const std::string_view kind : {"/dev/nfs", "nfs:", "nfs4:", "iscsi:", "nbd:", "http"}) {
    if (value.starts_with(kind)) return word.substr(0, key.size() + 1 + kind.size());
  }
  return {};
}

}  // namespace manactl::host
