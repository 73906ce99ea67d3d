// SPDX-License-Identifier: MIT

#include "setup/guard.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::setup {
namespace {

bool is_one_of(const host::Nic& nic, int index) {
  return (nic.synthetic && nic.synthetic->index == index) || (nic.vf && nic.vf->index == index);
}

// Interfaces built on this one: they would break, whatever they carry.
void object_to_uppers(const host::Nic& nic,
                      const std::vector<os::Link>& links,
                      std::vector<std::string>& found) {
  for (const auto& link : links) {
    if (is_one_of(nic, link.index)) continue;
    if (link.lower && is_one_of(nic, *link.lower)) {
      found.push_back(fmt::format("{} {} stands on it",
                                  link.kind.empty() ? "interface" : link.kind,
                                  printable(link.name, 60)));
    }
    const bool master = (nic.synthetic && nic.synthetic->master == link.index) ||
                        (nic.vf && nic.vf->master == link.index);
    if (master) {
      found.push_back(fmt::format("it is a member of {} {}",
                                  link.kind.empty() ? "interface" : link.kind,
                                  printable(link.name, 60)));
    }
  }
}

void object_to_routes(const host::Nic& nic,
                      const std::vector<os::Route>& routes,
                      std::vector<std::string>& found) {
  for (const auto& route : routes) {
    const bool ours = std::any_of(
        route.outputs.begin(), route.outputs.end(), [&](int i) { return is_one_of(nic, i); });
    if (!ours || route.outputs.size() < 2) continue;
    found.push_back(
        fmt::format("the route to {} has several next hops, one of them here, and "
                    "could not be restored",
                    printable(route.destination, 60)));
    return;
  }
}

}  // namespace

Result<std::vector<std::string>> objections(const host::Nic& nic,
                                            const host::Facts& facts,
                                            const os::System& system) {
  std::vector<std::string> found;
  for (const auto& what : nic.carries) found.push_back("it carries the " + what);
  if (!facts.carriers) found.push_back(facts.carriers.error().message);
  const auto links = system.links.links();
  if (!links) return tl::unexpected<Error>(links.error());
  object_to_uppers(nic, *links, found);
  const auto routes = system.links.routes();
  if (routes) object_to_routes(nic, *routes, found);
  return found;
}

}  // namespace manactl::setup
