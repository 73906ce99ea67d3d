// SPDX-License-Identifier: MIT
//
// Shell commands for this distribution. Names that come from the facts are quoted, because the
// facts may come from another person's bundle and the commands are pasted into a root shell.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "diag/signature.h"
#include "host/facts.h"

namespace manactl::diag {

enum class Family { debian, ubuntu, redhat, azurelinux, suse, other };

Family family_of(const host::Facts& facts);

// Returns 13 for the kernel "6.12.48+deb13-cloud-amd64" of Debian. The kernels of Debian 12 have no
// such mark, except those of bookworm-backports.
unsigned debian_release(std::string_view kernel);

// Returns the commands that install `packages` ("a b"); none for an unknown distribution.
std::vector<std::string> install(Family family, std::string_view packages);

// Returns the packages with a C compiler and make. gcc of Azure Linux has neither the headers of
// libc nor binutils.
std::string_view compiler_packages(Family family);

// Returns commands that install the RDMA libraries with MANA's provider.
std::vector<std::string> install_rdma_core(const host::Facts& facts);

// Returns commands that write the distribution's libibverbs and libmana again.
std::vector<std::string> reinstall_rdma_core(const host::Facts& facts);

// Returns the commands that replace the distribution's rdma-core with release 50.1, like
// Microsoft's tests of DPDK. `edit` is a command that changes the sources first; may be empty.
std::vector<std::string> build_rdma_core(Family family, const std::string& edit = {});

// How to get a kernel module.
struct ModuleSource {
  std::string why;
  std::vector<std::string> commands;
};

// Returns the package that contains module `name` ("mana_ib") and the commands that install it.
ModuleSource source_of_module(const host::Facts& facts, std::string_view name);

// Returns how to get the module of a log line whose captures "module" and "directory" are "mana_ib"
// and "/lib/modules/6.6.104.2-4.azl3", if the name of the kernel shows its distribution.
std::optional<Remedy> remedy_for_module(const Captures& line);

// Returns the command that loads the module or, if the kernel does not contain it, those that
// install it.
std::vector<std::string> load_module_commands(const host::Facts& facts, std::string_view name);

// Returns the commands that install the package with this module of a kernel that is not running.
std::vector<std::string> install_module_commands(const host::Facts& facts,
                                                 const std::string& release,
                                                 std::string_view name);

// Returns the commands that add `modules` to the initramfs of these releases of the kernel.
std::vector<std::string> add_to_initramfs_commands(Family family,
                                                   const std::set<std::string>& modules,
                                                   const std::vector<std::string>& releases);

// Returns the advice for a release of a distribution whose kernels for Azure all report driver id
// 19 for MANA, which rdma-core assigns to another driver: Ubuntu 20.04. Empty for others.
std::string advice_on_old_release(const host::Facts& facts);

// Returns the commands that install the distribution's newest kernel for Azure, which is active
// after a reboot; none for a distribution that has no such package, or only one with driver id 19.
std::vector<std::string> newer_kernel_commands(const host::Facts& facts);

// Returns true if rdma-core is installed, but older than the first release with MANA's provider.
bool is_rdma_core_too_old(const host::Facts& facts);

std::string link_command(const host::Netdev& device,
                         std::string_view state);  // `state`: "up", "down"

// Returns no command if the NIC carries anything, or if this is unknown: setting a link down may
// end the administrator's own session.
std::vector<std::string> set_down_commands(const host::Facts& facts,
                                           const host::Nic& nic,
                                           const host::Netdev& device);

// Returns the shell command that overwrites `path` with `lines`.
std::string write_file_command(std::string_view path, const std::vector<std::string>& lines);

// Write the rules that let NetworkManager and systemd-networkd ignore VFs by their drivers. The
// first adds to the rules of other files, and its name sorts last: a later file could replace it.
// systemd-networkd applies the first file that matches, so 01- precedes netplan's 10-.
std::string network_manager_rule_command();
std::string networkd_rule_command();

}  // namespace manactl::diag
