// SPDX-License-Identifier: MIT

#include "setup/addresses.h"

#include <algorithm>

#include "base/enum_words.h"
#include "base/text.h"
#include "host/carried_traffic.h"

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

bool read_numbers(std::string_view text, std::vector<std::uint32_t>& target) {
  return std::ranges::all_of(split(text, '/'), [&](std::string_view number) {
    return read_number(number, target.emplace_back());
  });
}

bool read_word(std::string_view text, std::string& target) {
  target = text;
  return true;
}

bool read_bytes(std::string_view text, std::string& target) {
  auto bytes = from_hex(text);
  if (bytes) target = std::move(*bytes);
  return bytes.has_value();
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
  append(text, "metric", address.metric, 0);
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
  append(text, "request", to_hex(route.request));
  return text;
}

std::string text_of(const os::NextHop& hop) {
  std::vector<std::string> members;
  for (const auto id : hop.group) members.push_back(std::to_string(id));
  std::string text = fmt::format("id {}", hop.id);
  append(text, "group", join(members, "/"));
  append(text, "request", to_hex(hop.request));
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
           if (key == "metric") return read_number(value, address.metric);
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
    if (key == "request") return read_bytes(value, route.request);
    route.onlink = key == "nexthop" && value == "onlink";
    return route.onlink;
  });
  if (!good) return fail_syntax(text);
  return route;
}

Result<os::NextHop> next_hop_of(const std::string& text, int index) {
  const auto parts = words(text);
  os::NextHop hop;
  const bool good = read_pairs(parts, 0, [&](std::string_view key, std::string_view value) {
    if (key == "id") return read_number(value, hop.id);
    if (key == "group") return read_numbers(value, hop.group);
    return key == "request" && read_bytes(value, hop.request);
  });
  if (!good) return fail_syntax(text);
  hop.output = index;
  return hop;
}

std::string address_arguments(const std::string& text) {
  const auto address = address_of(text, 0);
  std::string arguments = text.substr(0, text.find(' '));
  if (!address) return arguments;
  append(arguments, "peer", address->peer);
  append(arguments, "metric", address->metric, 0);
  if (!address->has_connected_route()) arguments += " noprefixroute";
  return arguments;
}

std::string route_arguments(const std::string& text) {
  std::string arguments = text.substr(text.find(' ') + 1);
  arguments = arguments.substr(0, arguments.find(" request "));
  const auto onlink = arguments.find(" nexthop onlink");
  if (onlink != std::string::npos) arguments.replace(onlink, 15, " onlink");
  return arguments;
}

// The names are those of /etc/iproute2/rt_protos and rt_scopes.
std::string route_text(const std::string& text) {
  constexpr EnumWords<unsigned, 6> kProtocols{
      {{2, "kernel"}, {3, "boot"}, {4, "static"}, {9, "ra"}, {16, "dhcp"}, {186, "bgp"}}};
  constexpr EnumWords<unsigned, 2> kScopes{{{253, "link"}, {254, "host"}}};
  constexpr unsigned kMainTable = 254;
  const auto route = route_of(text, 0);
  if (!route) return route_arguments(text);  // it has several next hops
  const auto name = [](const auto& names, unsigned value) {
    const auto word = word_of(names, value);
    return word.empty() ? std::to_string(value) : std::string(word);
  };
  std::string shown = route->destination;
  append(shown, "via", route->gateway);
  if (route->protocol != 0) append(shown, "proto", name(kProtocols, route->protocol));
  if (route->scope != 0 && !route->ipv6) append(shown, "scope", name(kScopes, route->scope));
  append(shown, "src", route->source);
  append(shown, "metric", route->metric, 0);
  append(shown, "table", route->table, kMainTable);
  if (route->onlink) shown += " onlink";
  return shown;
}

// IPv4: fib_add_ifaddr() in net/ipv4/fib_frontend.c. IPv6: addrconf_prefix_route() in
// net/ipv6/addrconf.c, with the metric IP6_RT_PRIO_ADDRCONF.
bool is_connected_route(const os::Route& route, const os::Address& address) {
  constexpr std::uint32_t kIpv6Metric = 256;
  const bool is_ipv6 = address.text.find(':') != std::string::npos;
  if (!address.has_connected_route() || route.ipv6 != is_ipv6 || !route.gateway.empty()) {
    return false;
  }
  const auto metric = address.metric == 0 && is_ipv6 ? kIpv6Metric : address.metric;
  const auto end = host::parse_ip(address.peer.empty() ? address.text : address.peer);
  return end && route.metric == metric &&
         host::matching_prefix(route, *end) == address.prefix_length;
}

bool is_link_local(const os::Address& address) {
  return address.text.starts_with("fe80:");
}

}  // namespace manactl::setup
