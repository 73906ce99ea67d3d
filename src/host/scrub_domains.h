// SPDX-License-Identifier: MIT
//
// Domains in the texts that scrub.h scrubs.

#pragma once

#include <string_view>

namespace manactl::host {

// Whether a text of labels and dots is the name of a host or of a domain, such as
// "web01.corp.example.com" or "corp.internal", and not that of a file, a module or a setting.
// False for public names.
bool is_full_name(std::string_view name);

// Whether a name belongs to a project or a company that documents and programs mention:
// "learn.microsoft.com", "git.dpdk.org".
bool is_public_name(std::string_view name);

// Whether a label is a top-level domain in which names have an owner, such as "com".
bool is_top_level(std::string_view label);

// The authority of a URL: "alice:password@web01:8080".
struct Authority {
  std::string_view user, password;  // empty if there are none
  std::string_view host;            // with its port
};

// The authority at the start of `rest`, the text after "://". Its host begins after the last '@'.
Authority authority_of(std::string_view rest);

// The part of a name in a domain of Azure that people choose: "vault1" of "vault1.vault.azure.net",
// empty for other names.
std::string_view azure_resource(std::string_view name);

}  // namespace manactl::host
