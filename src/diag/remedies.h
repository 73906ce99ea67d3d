// SPDX-License-Identifier: MIT
//
// Commands to paste, made for this distribution. Names that came from outside are quoted: a report
// may be made from somebody else's bundle and pasted into a root shell.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"

namespace manactl::diag {

// `text` as one word of a POSIX shell, quoted only when it must be.
std::string shell_word(std::string_view text);

enum class Family { debian, ubuntu, redhat, azurelinux, suse, other };

Family family_of(const host::Facts& facts);

// "apt-get install -y a b" with this distribution's tool; nothing when it is not known.
std::vector<std::string> install(Family family, std::string_view packages);

// Brings the RDMA libraries with MANA's provider.
std::vector<std::string> install_rdma_core(const host::Facts& facts);

// Brings kernel module `name` ("mana_ib") and loads it; `why` says what has it.
struct ModuleSource {
  std::string why;
  std::vector<std::string> commands;
};

ModuleSource source_of_module(const host::Facts& facts, std::string_view name);

std::string set_link(const host::Netdev& device, std::string_view state);  // "up", "down"

// Taking a link down may end the administrator's own session: no command when the NIC carries
// something, or when it is not known what it carries.
std::vector<std::string> set_down(const host::Facts& facts,
                                  const host::Nic& nic,
                                  const host::Netdev& device);

// Writes `lines` to `path`, which must not exist before.
std::string write_file(std::string_view path, const std::vector<std::string>& lines);

}  // namespace manactl::diag
