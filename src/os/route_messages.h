// SPDX-License-Identifier: MIT
//
// rtnetlink messages as links.h tells them: pure functions of bytes. What asks for a change is made
// in route_requests.cpp.

#pragma once

#include <optional>
#include <string_view>

#include "os/links.h"

namespace manactl::os {

// Each takes the message after struct nlmsghdr; nothing when it is too short, or tells of something
// that links.h leaves out (other address families, routes that are not unicast).
std::optional<Link> decode_link(std::string_view body);
std::optional<Address> decode_address(std::string_view body);
std::optional<Route> decode_route(std::string_view body);

// The body of a request that names the same thing. Errc::invalid for addresses that are none.
Result<std::string> encode_address(const Address& address);
Result<std::string> encode_route(const Route& route);

}  // namespace manactl::os
