// SPDX-License-Identifier: MIT
//
// Other network namespaces (network_namespaces(7)) whose interfaces are stacked on interfaces of
// this one. sysfs does not show them: the links "upper_*" connect interfaces of one namespace only
// (netdev_adjacent_is_neigh_list in net/core/dev.c).

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "os/files.h"
#include "os/links.h"

namespace manactl::os {

// A way to open each other network namespace, by inode: a file of /proc/PID/ns, a descriptor of a
// process, or a mounted file.
struct NamespaceFile {
  std::string path;   // "proc/4711/ns/net"
  std::string where;  // "network namespace of process 4711 (nginx)"
};

struct NetworkNamespaces {
  std::map<std::uint64_t, NamespaceFile> others;  // by inode; without that of this process
  unsigned unreadable = 0;  // processes whose namespace this process may not read
};

NetworkNamespaces find_network_namespaces(const Files& files);

// Lists the interfaces of each namespace with IFLA_TARGET_NETNSID (Linux 4.20), which needs
// CAP_NET_ADMIN but, unlike setns(2), not CAP_SYS_ADMIN. Assigns an id to namespaces without one.
// `unsearched` contains the namespaces whose interfaces could not be listed, those that the kernel
// knows but no file of this system shows, and, in a PID namespace, those of processes outside.
Result<ForeignUppers> find_foreign_uppers(const Files& files);

}  // namespace manactl::os
