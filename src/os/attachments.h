// SPDX-License-Identifier: MIT
//
// What programs have attached to an interface and the kernel removes together with it: queueing
// disciplines with their filters, XDP and TCX programs, and hooks of nftables.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

// Texts such as "the queueing discipline 'htb'". Does not make the kernel load nf_tables.
Result<std::vector<std::string>> find_attachments(int index, const std::string& name);

// The decoders of the kernel's messages; empty if the message is about something else.
std::string queueing_discipline_in(std::string_view body, int index);  // RTM_NEWQDISC
bool has_xdp_program(std::string_view body);                           // RTM_NEWLINK
std::string nftables_hook_in(std::string_view body, const std::string& interface);

}  // namespace manactl::os
