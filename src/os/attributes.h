// SPDX-License-Identifier: MIT
//
// Reads and writes netlink attributes (struct nlattr, linux/netlink.h) in byte strings. The input
// is untrusted: a truncated attribute ends the iteration. No socket is needed.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace manactl::os {

// Rounds up to 4 bytes, the alignment of netlink messages and attributes (NLMSG_ALIGN, NLA_ALIGN).
constexpr std::size_t netlink_aligned(std::size_t length) {
  return (length + 3U) & ~std::size_t{3};
}

// Copies a structure from the start of `data`; empty if `data` is shorter than T.
template <class T>
std::optional<T> leading(std::string_view data) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (data.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, data.data(), sizeof(T));
  return value;
}

// Returns the rest of `data` after its first `header` bytes and their padding; may be empty.
inline std::string_view after(std::string_view data, std::size_t header) {
  return data.substr(std::min(netlink_aligned(header), data.size()));
}

struct AttributeHeader {  // struct nlattr
  std::uint16_t length, type;
};

struct Attribute {
  unsigned type = 0;  // the flags NLA_F_NESTED and NLA_F_NET_BYTEORDER are removed
  std::string_view data;

  std::optional<std::uint32_t> u32() const { return leading<std::uint32_t>(data); }

  // The text up to the first NUL, or the whole value if it lacks the terminating NUL.
  std::string text() const { return std::string(data.substr(0, data.find('\0'))); }
};

// Removes the first attribute from `bytes` and returns it; empty if it is missing or malformed.
inline std::optional<Attribute> next_attribute(std::string_view& bytes) {
  constexpr std::uint16_t kTypeMask = 0x3fff;  // NLA_TYPE_MASK
  const auto header = leading<AttributeHeader>(bytes);
  if (!header || header->length < sizeof(AttributeHeader) || header->length > bytes.size()) {
    return std::nullopt;
  }
  Attribute attribute{
      static_cast<unsigned>(header->type & kTypeMask),
      bytes.substr(sizeof(AttributeHeader), header->length - sizeof(AttributeHeader))};
  bytes = after(bytes, header->length);
  return attribute;
}

// Returns a view of the bytes of `value`, which must outlive the view.
template <class T>
std::string_view bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// Appends one attribute and its padding.
inline void append_attribute(std::string& bytes, unsigned type, std::string_view data) {
  const AttributeHeader header{static_cast<std::uint16_t>(sizeof(AttributeHeader) + data.size()),
                               static_cast<std::uint16_t>(type)};
  bytes += bytes_of(header);
  bytes += data;
  bytes.resize(netlink_aligned(bytes.size()));
}

}  // namespace manactl::os
