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

// Parse a result of text_of() for the interface `index`; fail with Errc::invalid for any other
// text.
Result<os::Address> address_of(const std::string& text, int index);
Result<os::Route> route_of(const std::string& text, int index);

bool is_link_local(const os::Address& address);  // fe80::

}  // namespace manactl::setup
