// SPDX-License-Identifier: MIT
//
// Netlink attributes (linux/netlink.h) read from bytes that are not trusted: one that is cut short
// ends the walk, unknown ones are skipped by the caller. No netlink socket is needed here.

#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace manactl::os {

// `length` is unsigned everywhere in netlink, and everything is aligned to 4.
constexpr std::size_t netlink_aligned(std::size_t length) {
  return (length + 3U) & ~std::size_t{3};
}

// The bytes at the start of `data` as a plain structure; nothing when there are too few.
template <class T>
std::optional<T> leading(std::string_view data) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (data.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, data.data(), sizeof(T));
  return value;
}

// What follows a structure of `header` bytes; empty when there is nothing.
inline std::string_view after(std::string_view data, std::size_t header) {
  const auto begin = netlink_aligned(header);
  return data.size() <= begin ? std::string_view{} : data.substr(begin);
}

struct Attribute {
  unsigned type = 0;  // without the flags for nesting and byte order
  std::string_view data;

  std::optional<std::uint32_t> u32() const { return leading<std::uint32_t>(data); }

  // Up to the first NUL: the kernel counts it in the length, and may not have to.
  std::string text() const { return std::string(data.substr(0, data.find('\0'))); }
};

// Takes the first attribute off `bytes`; nothing at the end, or where the rest is malformed.
inline std::optional<Attribute> next_attribute(std::string_view& bytes) {
  struct Header {
    std::uint16_t length, type;
  };

  constexpr std::uint16_t kTypeMask = 0x3fff;  // NLA_TYPE_MASK
  const auto header = leading<Header>(bytes);
  if (!header || header->length < sizeof(Header) || header->length > bytes.size()) {
    return std::nullopt;
  }
  Attribute attribute{static_cast<unsigned>(header->type & kTypeMask),
                      bytes.substr(sizeof(Header), header->length - sizeof(Header))};
  bytes = after(bytes, header->length);
  return attribute;
}

// Appends one attribute with its padding.
void append_attribute(std::string& bytes, unsigned type, std::string_view data);

// A plain structure as bytes.
template <class T>
std::string_view bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

}  // namespace manactl::os
