// SPDX-License-Identifier: MIT
//
// Attachments: objects of other programs that the kernel removes together with an interface, such
// as queueing disciplines with classes or filters, XDP and TCX programs, and hooks of nftables.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

inline constexpr std::string_view kXdpProgram = "an XDP program";
inline constexpr std::string_view kQueueingPrefix = "the queueing discipline ";

// Texts such as "the queueing discipline 'htb'". Does not make the kernel load nf_tables.
Result<std::vector<std::string>> find_attachments(int index, const std::string& name);

// The decoders of the kernel's messages; empty if the message is about something else.
bool has_xdp_program(std::string_view body);  // RTM_NEWLINK
std::string nftables_hook_in(std::string_view body, const std::string& interface);
std::string flowtable_in(std::string_view body, const std::string& interface);

}  // namespace manactl::os
