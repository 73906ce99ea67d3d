// SPDX-License-Identifier: MIT

#include "os/btf.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/text.h"

namespace manactl::os {
namespace {

struct Header {
  std::uint16_t magic;
  std::uint8_t version, flags;
  std::uint32_t length, type_offset, type_length, string_offset, string_length;
};

struct Type {
  std::uint32_t name, info, size_or_type;

  std::uint32_t members() const { return info & 0xffffU; }

  std::uint32_t kind() const { return (info >> 24U) & 0x1fU; }
};

constexpr std::uint16_t kMagic = 0xeb9f;
constexpr std::uint32_t kEnum = 6;
constexpr std::uint32_t kEnum64 = 19;

struct Sections {
  std::string_view types, strings;
};

tl::unexpected<Error> malformed(std::string_view what) {
  return fail(Errc::invalid, fmt::format("malformed BTF: {}", what));
}

template <class T>
T at(std::string_view bytes, std::size_t offset) {  // the caller checks the bounds
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Result<std::string_view> section(std::string_view bytes,
                                 std::uint64_t begin,
                                 std::uint32_t length,
                                 std::string_view what) {
  if (begin > bytes.size() || length > bytes.size() - begin) return malformed(what);
  return bytes.substr(begin, length);
}

Result<Sections> sections_of(std::string_view bytes) {
  if (bytes.size() < sizeof(Header)) return malformed("shorter than its header");
  const auto header = at<Header>(bytes, 0);
  if (header.magic != kMagic || header.version != 1) return malformed("wrong magic or version");
  if (header.length < sizeof(Header)) return malformed("wrong header length");
  const std::uint64_t base = header.length;
  const auto types = section(
      bytes, base + header.type_offset, header.type_length, "the type section exceeds the data");
  if (!types) return tl::unexpected<Error>(types.error());
  const auto strings = section(bytes,
                               base + header.string_offset,
                               header.string_length,
                               "the string section exceeds the data");
  if (!strings) return tl::unexpected<Error>(strings.error());
  return Sections{*types, *strings};
}

// The number of bytes that follow struct btf_type (linux/btf.h). Empty for an unknown kind: then
// the start of the next type cannot be found.
std::optional<std::size_t> tail_bytes(const Type& type) {
  const std::size_t members = type.members();
  switch (type.kind()) {
    case 1:   // INT
    case 14:  // VAR
    case 17:  // DECL_TAG
      return 4;
    case 3:  // ARRAY
      return 12;
    case 4:   // STRUCT
    case 5:   // UNION
    case 15:  // DATASEC
    case kEnum64:
      return members * 12;
    case kEnum:
    case 13:  // FUNC_PROTO
      return members * 8;
    case 2:   // PTR
    case 7:   // FWD
    case 8:   // TYPEDEF
    case 9:   // VOLATILE
    case 10:  // CONST
    case 11:  // RESTRICT
    case 12:  // FUNC
    case 16:  // FLOAT
    case 18:  // TYPE_TAG
      return 0;
    default:
      return std::nullopt;
  }
}

// Appends the offset of each occurrence of the string `name`. `strings` is a string section, and
// `first` is the offset of its first byte.
void add_offsets(std::string_view strings,
                 std::string_view name,
                 std::uint64_t first,
                 std::vector<std::uint32_t>& offsets) {
  const std::string key = '\0' + std::string(name) + '\0';
  std::size_t from = 0;
  while (from < strings.size()) {
    const void* hit = memmem(strings.data() + from, strings.size() - from, key.data(), key.size());
    if (hit == nullptr) return;
    const auto begin = static_cast<std::size_t>(static_cast<const char*>(hit) - strings.data());
    offsets.push_back(static_cast<std::uint32_t>(first + begin + 1));
    from = begin + 1;
  }
}

// Returns the value of the enumerator whose name has one of these sorted offsets. `members`
// contains all enumerators of `type`.
std::optional<std::int64_t> value_in(const Type& type,
                                     std::string_view members,
                                     const std::vector<std::uint32_t>& offsets) {
  const bool wide = type.kind() == kEnum64;
  const std::size_t step = wide ? 12 : 8;
  for (std::size_t i = 0; i < type.members(); ++i) {
    const auto name = at<std::uint32_t>(members, i * step);
    if (!std::ranges::binary_search(offsets, name)) continue;
    if (!wide) return at<std::int32_t>(members, i * step + 4);
    return at<std::int64_t>(members, i * step + 4);  // val_lo32 and val_hi32 of btf_enum64
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<std::int64_t>> enumerator_value(std::string_view btf,
                                                     std::string_view base,
                                                     std::string_view name) {
  const auto own = sections_of(btf);
  if (!own) return tl::unexpected<Error>(own.error());
  std::vector<std::uint32_t> offsets;
  std::uint64_t own_first = 0;
  if (!base.empty()) {
    const auto vmlinux = sections_of(base);
    if (!vmlinux) return because(vmlinux.error(), "vmlinux");
    add_offsets(vmlinux->strings, name, 0, offsets);
    own_first = vmlinux->strings.size();  // string offsets of a module continue those of vmlinux
  }
  add_offsets(own->strings, name, own_first, offsets);
  if (name.empty() || offsets.empty()) return std::optional<std::int64_t>{};
  std::ranges::sort(offsets);

  auto rest = own->types;
  while (!rest.empty()) {
    if (rest.size() < sizeof(Type)) return malformed("truncated type");
    const auto type = at<Type>(rest, 0);
    rest.remove_prefix(sizeof(Type));
    const auto tail = tail_bytes(type);
    if (!tail) return malformed(fmt::format("unknown kind {}", type.kind()));
    if (*tail > rest.size()) return malformed("truncated type");
    if (type.kind() == kEnum || type.kind() == kEnum64) {
      const auto value = value_in(type, rest.substr(0, *tail), offsets);
      if (value) return value;
    }
    rest.remove_prefix(*tail);
  }
  return std::optional<std::int64_t>{};
}

std::string single_enumerator(std::string_view name,
                              std::optional<std::int64_t> value,
                              std::uint32_t base_strings) {
  const auto append = [](std::string& bytes, const auto& part) {
    bytes.append(reinterpret_cast<const char*>(&part), sizeof(part));  // NOLINT: an object as bytes
  };
  std::string types, strings(1, '\0');
  if (value) {
    append(types, Type{0, (kEnum64 << 24U) | 1U, sizeof(*value)});
    append(types, base_strings + 1);  // the name's offset
    append(types, *value);
    strings += std::string(name) + '\0';
  }
  const auto type_length = static_cast<std::uint32_t>(types.size());
  const auto string_length = static_cast<std::uint32_t>(strings.size());
  std::string bytes;
  append(bytes, Header{kMagic, 1, 0, sizeof(Header), 0, type_length, type_length, string_length});
  return bytes + types + strings;
}

}  // namespace manactl::os
