// SPDX-License-Identifier: MIT
//
// Reads tickets in tests, and prints the facts that they contain.

#pragma once

#include <string>

#include "host/ticket/ticket.h"

namespace manactl::host {

// The output of `ip link` of a VM with one NIC, and that of `lspci` of its VF.
inline constexpr const char* kLinks =
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group "
    "default "
    "qlen 1000\n"
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"
    "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group "
    "default qlen 1000\n"
    "    link/ether 00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n"
    "3: enP30832s1: <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> mtu 1500 qdisc mq master eth0 state UP "
    "mode DEFAULT group default qlen 1000\n"
    "    link/ether 00:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n"
    "    altname enP30832p0s0\n";

inline constexpr const char* kLspci =
    "7870:00:00.0 Ethernet controller: Microsoft Corporation Device 00ba\n";

// Passes the lines to the reader that it needs, as diag::read_log does.
Ticket read_ticket(const std::string& text);

// One line for each fact that the ticket contains.
std::string ticket_facts(const Ticket& ticket);

inline std::string ticket_facts(const std::string& text) {
  return ticket_facts(read_ticket(text));
}

// Puts `mark` before each line of `text`.
std::string marked(const std::string& text, const std::string& mark);

}  // namespace manactl::host
