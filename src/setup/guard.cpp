// SPDX-License-Identifier: MIT

#include "setup/guard.h"

#include <algorithm>

#include "base/text.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

bool has_index(const host::Nic& nic, int index) {
  return (nic.synthetic && nic.synthetic->index == index) || (nic.vf && nic.vf->index == index);
}

std::string text_of(const os::Link& link) {
  return fmt::format("{} {}", link.kind.empty() ? "interface" : link.kind, printable(link.name));
}

// Adds an objection for each interface that is stacked on the NIC and would fail without it.
void add_uppers(const host::Nic& nic,
                const std::vector<os::Link>& links,
                std::vector<std::string>& objections) {
  for (const auto& link : links) {
    if (has_index(nic, link.index)) continue;
    if (link.lower && has_index(nic, *link.lower)) {
      objections.push_back(text_of(link) + " is stacked on it");
    }
    const bool is_master = (nic.synthetic && nic.synthetic->master == link.index) ||
                           (nic.vf && nic.vf->master == link.index);
    if (is_master) objections.push_back("it is a member of " + text_of(link));
  }
}

void add_multipath_route(const host::Nic& nic,
                         const std::vector<os::Route>& routes,
                         std::vector<std::string>& objections) {
  for (const auto& route : routes) {
    const bool ours = std::any_of(
        route.outputs.begin(), route.outputs.end(), [&](int i) { return has_index(nic, i); });
    if (!ours || route.outputs.size() < 2) continue;
    objections.push_back(fmt::format(
        "one next hop of the route to {} uses it, and restore cannot bring back a route "
        "with several next hops",
        printable(route.destination)));
    return;
  }
}

}  // namespace

Result<std::vector<std::string>> find_objections(const host::Nic& nic,
                                                 const host::Facts& facts,
                                                 const os::System& system) {
  std::vector<std::string> objections;
  objections.reserve(nic.carries.size());
  for (const auto& what : nic.carries) objections.push_back("it carries the " + what);
  if (!facts.carries_complete) objections.push_back(facts.carries_complete.error().message);
  const auto links = system.links.links();
  if (!links) return tl::unexpected<Error>(links.error());
  add_uppers(nic, *links, objections);
  const auto routes = system.links.routes();
  if (routes) add_multipath_route(nic, *routes, objections);
  return objections;
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

std::vector<Holder> find_uio_holders(const std::string& channel, const os::Files& files) {
  if (channel.empty()) return {};
  const auto uio = uio_of(files, channel);
  return uio ? find_holders({"/dev/" + *uio}, files) : std::vector<Holder>{};
}

}  // namespace manactl::setup
