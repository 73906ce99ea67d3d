// SPDX-License-Identifier: MIT

#include "setup/addresses.h"

#include "base/text.h"

namespace manactl::setup {
namespace {

// Does not use fmt, for speed: there may be a hundred thousand routes.
void append(std::string& text, std::string_view key, const std::string& value) {
  if (value.empty()) return;
  text += ' ';
  text += key;
  text += ' ';
  text += value;
}

void append(std::string& text, std::string_view key, std::uint64_t value, std::uint64_t omitted) {
  if (value != omitted) append(text, key, std::to_string(value));
}

tl::unexpected<Error> fail_syntax(const std::string& text) {
  return fail(Errc::invalid, fmt::format("cannot parse '{}' from the journal", printable(text)));
}

// Calls `read` for each pair "key value". Returns false if a value is missing or `read` fails.
template <class Read>
bool read_pairs(const std::vector<std::string_view>& parts, std::size_t from, Read read) {
  for (std::size_t i = from; i < parts.size(); i += 2) {
    if (i + 1 >= parts.size() || !read(parts[i], parts[i + 1])) return false;
  }
  return true;
}

template <class T>
bool read_number(std::string_view text, T& target) {
  const auto value = parse_unsigned(text, UINT32_MAX);
  if (value) target = static_cast<T>(*value);
  return value.has_value();
}

bool read_word(std::string_view text, std::string& target) {
  target = text;
  return true;
}

}  // namespace

std::string text_of(const os::Address& address) {
  std::string text = fmt::format("{}/{}", address.text, address.prefix_length);
  append(text, "peer", address.peer);
  append(text, "broadcast", address.broadcast);
  append(text, "scope", address.scope, UINT64_MAX);
  append(text, "flags", address.flags, 0);
  append(text, "label", address.label);
  append(text, "valid_lft", address.valid, UINT32_MAX);
  append(text, "preferred_lft", address.preferred, UINT32_MAX);
  return text;
}

std::string text_of(const os::Route& route) {
  std::string text = route.ipv6 ? "inet6 " : "inet ";
  text += route.destination;
  append(text, "via", route.gateway);
  append(text, "proto", route.protocol, UINT64_MAX);
  append(text, "scope", route.scope, UINT64_MAX);
  append(text, "src", route.source);
  append(text, "metric", route.metric, 0);
  append(text, "table", route.table, UINT64_MAX);
  if (route.onlink) text += " nexthop onlink";
  return text;
}

Result<os::Address> address_of(const std::string& text, int index) {
  const auto parts = words(text);
  os::Address address;
  address.index = index;
  const auto slash = parts.empty() ? std::string_view::npos : parts[0].find('/');
  if (slash == std::string_view::npos) return fail_syntax(text);
  address.text = parts[0].substr(0, slash);
  bool good = read_number(parts[0].substr(slash + 1), address.prefix_length);
  good = good && read_pairs(parts, 1, [&](std::string_view key, std::string_view value) {
           if (key == "peer") return read_word(value, address.peer);
           if (key == "broadcast") return read_word(value, address.broadcast);
           if (key == "label") return read_word(value, address.label);
           if (key == "scope") return read_number(value, address.scope);
           if (key == "flags") return read_number(value, address.flags);
           if (key == "valid_lft") return read_number(value, address.valid);
           return key == "preferred_lft" && read_number(value, address.preferred);
         });
  if (!good) return fail_syntax(text);
  return address;
}

Result<os::Route> route_of(const std::string& text, int index) {
  const auto parts = words(text);
  if (parts.size() < 2 || (parts[0] != "inet" && parts[0] != "inet6")) return fail_syntax(text);
  os::Route route;
  route.ipv6 = parts[0] == "inet6";
  route.destination = parts[1];
  route.outputs = {index};
  const bool good = read_pairs(parts, 2, [&](std::string_view key, std::string_view value) {
    if (key == "via") return read_word(value, route.gateway);
    if (key == "src") return read_word(value, route.source);
    if (key == "proto") return read_number(value, route.protocol);
    if (key == "scope") return read_number(value, route.scope);
    if (key == "metric") return read_number(value, route.metric);
    if (key == "table") return read_number(value, route.table);
    route.onlink = key == "nexthop" && value == "onlink";
    return route.onlink;
  });
  if (!good) return fail_syntax(text);
  return route;
}

bool is_link_local(const os::Address& address) {
  return address.text.starts_with("fe80:");
}

}  // namespace manactl::setup
