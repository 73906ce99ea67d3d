// SPDX-License-Identifier: MIT
//
// Addresses and routes as text in the syntax of ip(8), for the journal and for manual commands.

#pragma once

#include <string>

#include "base/result.h"
#include "os/links.h"

namespace manactl::setup {

std::string text_of(const os::Address& address);  // "10.0.1.4/24 broadcast 10.0.1.255 scope 0 ..."
std::string text_of(const os::Route& route);      // "inet default via 10.0.1.1 proto 16 ..."
std::string text_of(const os::NextHop& hop);      // "id 9 group 5/6 request 0200..."

// Parse a result of text_of() for the interface `index`; fail with Errc::invalid for any other
// text.
Result<os::Address> address_of(const std::string& text, int index);
Result<os::Route> route_of(const std::string& text, int index);
Result<os::NextHop> next_hop_of(const std::string& text, int index);

// The arguments of "ip address replace" and "ip route replace" for a result of text_of(),
// without what only Route::request contains.
std::string address_arguments(const std::string& text);
std::string route_arguments(const std::string& text);

// A result of text_of(const os::Route&) as "ip route" prints it, without the interface:
// "default via 10.0.1.1 proto dhcp metric 200".
std::string route_text(const std::string& text);

// Whether the kernel adds this route together with the address.
bool is_connected_route(const os::Route& route, const os::Address& address);

bool is_link_local(const os::Address& address);  // fe80::

}  // namespace manactl::setup
