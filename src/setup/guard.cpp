// SPDX-License-Identifier: MIT

#include "setup/guard.h"

#include <algorithm>

#include "base/text.h"
#include "host/gather.h"
#include "os/attachments.h"

namespace manactl::setup {
namespace {

// Adds an objection for each interface of another network namespace that is stacked on the NIC, and
// for each namespace that could not be searched for them.
void add_foreign_uppers(const host::Nic& nic,
                        const Result<os::ForeignUppers>& uppers,
                        std::vector<std::string>& objections) {
  if (!uppers) {
    objections.push_back(uppers.error().message);
    return;
  }
  for (const auto& [link, where] : uppers->links) {
    if (!link.lower || !nic.has_interface(*link.lower)) continue;
    objections.push_back(
        fmt::format("{} in {} is stacked on it", host::kind_and_name(link), where));
  }
  for (const auto& reason : uppers->unsearched) {
    objections.push_back(
        "perhaps an interface of another network namespace is stacked on it: "
        "cannot search " +
        reason);
  }
}

// Together with the interface of one next hop, the kernel removes the whole route: IPv4, and
// without next-hop objects (fib_sync_down_dev in net/ipv4/fib_semantics.c).
void add_multipath_route(const host::Nic& nic,
                         const std::vector<os::Route>& routes,
                         std::vector<std::string>& objections) {
  for (const auto& route : routes) {
    const auto is_ours = [&](int index) { return nic.has_interface(index); };
    const bool uses_others =
        std::ranges::any_of(route.outputs, is_ours) && !std::ranges::all_of(route.outputs, is_ours);
    if (!uses_others || route.ipv6 || route.next_hop_id != 0) continue;
    objections.push_back(fmt::format(
        "the kernel would also remove the route to {} through other interfaces, until 'manactl "
        "restore' adds it again",
        printable(route.destination)));
    return;
  }
}

// The VF stays, but hv_netvsc replaces its XDP program when it joins (netvsc_vf_setxdp).
void add_attachments(const host::Nic& nic,
                     const os::Links& links,
                     std::vector<std::string>& objections) {
  const auto add = [&](const host::Netdev& netdev, bool only_xdp) {
    const auto attachments = links.attachments(netdev.index);
    if (!attachments) objections.push_back(attachments.error().message);
    for (const auto& what : attachments.value_or(std::vector<std::string>{})) {
      if (only_xdp && what != os::kXdpProgram) continue;
      objections.push_back(
          fmt::format("{} would lose {}, which restore does not bring back", netdev.name, what));
    }
  };
  if (nic.synthetic) add(*nic.synthetic, false);
  if (nic.vf) add(*nic.vf, true);
}

// Inodes of the packet sockets that are bound to the interface.
std::vector<std::uint64_t> packet_sockets(int interface, const os::Files& files) {
  // "sk RefCnt Type Proto Iface R Rmem User Inode" (packet_seq_show).
  constexpr std::size_t kInterface = 4, kInode = 8;
  std::vector<std::uint64_t> inodes;
  const auto text = files.read("proc/net/packet").value_or("");
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() <= kInode || fields[kInterface] != std::to_string(interface)) continue;
    if (const auto inode = parse_unsigned(fields[kInode])) inodes.push_back(*inode);
  }
  return inodes;
}

}  // namespace

std::vector<std::string> find_objections(const host::Nic& nic,
                                         const host::Facts& facts,
                                         const os::System& system,
                                         bool vf_only) {
  std::vector<std::string> objections;
  if (!nic.carries.empty()) objections.push_back("it carries the " + join(nic.carries, ", "));
  if (!facts.carries_complete) objections.push_back(facts.carries_complete.error().message);
  const auto routes = system.links.routes();
  // Without routes, what the NIC carries is unknown too.
  if (!routes && facts.carries_complete) objections.push_back(routes.error().message);
  std::vector<std::string> others = nic.uppers;
  if (routes && !vf_only) add_multipath_route(nic, *routes, others);
  add_foreign_uppers(nic, system.links.foreign_uppers(), others);
  if (!vf_only) add_attachments(nic, system.links, others);
  // The NIC has those of add_objections() already.
  for (auto& other : others) {
    if (std::ranges::find(objections, other) == objections.end()) {
      objections.push_back(std::move(other));
    }
  }
  return objections;
}

void add_objections(host::Facts& facts, const os::System& system) {
  if (!facts.nics) return;
  const auto routes = system.links.routes();
  const bool reads_attachments = facts.limits && facts.limits->net_admin;
  for (auto& nic : *facts.nics) {
    if (nic.is_direct()) continue;
    if (routes) add_multipath_route(nic, *routes, nic.uppers);
    if (reads_attachments) add_attachments(nic, system.links, nic.uppers);
  }
}

std::string warn_of_bound_sockets(const host::Nic& nic, const os::System& system) {
  if (!nic.synthetic) return {};
  const int index = nic.synthetic->index;
  auto inodes = system.sockets.bound_to(index).value_or(std::vector<std::uint64_t>{});
  for (const auto inode : packet_sockets(index, system.files)) inodes.push_back(inode);
  if (inodes.empty()) return {};
  std::set<std::string> links;
  for (const auto inode : inodes) links.insert(fmt::format("socket:[{}]", inode));
  std::vector<std::string> programs;
  for (const auto& holder : find_holders(links, system.files)) programs.push_back(holder.text());
  if (programs.empty()) programs.emplace_back("processes that are not visible here");
  return fmt::format(
      "{} bound to {} will receive no more packets, even after restore; then restart: {}",
      counted(inodes.size(), "socket"),
      printable(nic.synthetic->name),
      join(programs, ", "));
}

// The kernel shows the settings of net_core_table (net/core/sysctl_net_core.c), such as
// netdev_max_backlog, only in init_net; those of netns_core_table, such as somaxconn, in each
// namespace. /proc/sys/net shows the settings of the namespace of the reader
// (net_ctl_header_lookup in net/sysctl_net.c). Unlike /proc/1/ns/net, this is also true in a
// container with a PID namespace of its own, and before Linux 6.18 gave init_net a fixed inode.
Result<> require_initial_namespace(const os::Files& files) {
  const auto settings = files.list("proc/sys/net/core");
  if (!settings) return {};
  const bool is_initial = std::ranges::find(*settings, "netdev_max_backlog") != settings->end();
  if (is_initial) return {};
  return fail(
      Errc::unsupported,
      "this is not the initial network namespace, but the kernel creates the interface of a "
      "NIC there: run 'nsenter -t 1 -m -n manactl ...' on the host, where "
      "process 1 is the host's init");
}

std::string Holder::text() const {
  return fmt::format("process {} ({})", pid, program);
}

std::vector<Holder> find_holders(const std::set<std::string>& devices, const os::Files& files) {
  std::vector<Holder> found;
  if (devices.empty()) return found;
  for (const auto& pid : files.list("proc").value_or(std::vector<std::string>{})) {
    const auto number = parse_unsigned(pid, UINT32_MAX);
    if (!number) continue;
    const std::string directory = "proc/" + pid + "/fd";
    const auto open = files.list(directory).value_or(std::vector<std::string>{});
    const bool holds = std::any_of(open.begin(), open.end(), [&](const std::string& fd) {
      const auto target = files.link_target(fmt::format("{}/{}", directory, fd));
      return target && devices.count(*target) != 0;
    });
    if (!holds) continue;
    const auto name = files.read("proc/" + pid + "/comm");
    found.push_back({static_cast<unsigned>(*number), name ? printable(*name) : ""});
  }
  return found;
}

}  // namespace manactl::setup
