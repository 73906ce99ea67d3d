// SPDX-License-Identifier: MIT

#include <linux/nexthop.h>

#include <map>

#include "os/attributes.h"
#include "os/netlink_messages.h"

namespace manactl::os {

std::optional<NextHop> decode_next_hop(std::string_view body) {
  NextHop hop;
  auto attributes = after(body, sizeof(nhmsg));
  while (const auto attribute = next_attribute(attributes)) {
    if (attribute->type == NHA_ID) hop.id = attribute->u32().value_or(0);
    if (attribute->type == NHA_OIF) hop.output = static_cast<int>(attribute->u32().value_or(0));
    if (attribute->type != NHA_GROUP) continue;
    auto members = attribute->data;
    while (const auto member = leading<nexthop_grp>(members)) {
      hop.group.push_back(member->id);
      members.remove_prefix(sizeof(nexthop_grp));
    }
  }
  hop.request = request_of_next_hop(body);
  return hop.id == 0 ? std::nullopt : std::optional(std::move(hop));
}

// The members of a group are never groups (nh_check_attr_group in net/ipv4/nexthop.c).
void resolve_next_hops(std::vector<Route>& routes, const std::vector<NextHop>& next_hops) {
  std::map<std::uint32_t, const NextHop*> by_id;
  for (const auto& hop : next_hops) by_id.emplace(hop.id, &hop);
  const auto add_output = [&](std::uint32_t id, std::vector<int>& outputs) {
    const auto found = by_id.find(id);
    if (found != by_id.end() && found->second->output > 0) {
      outputs.push_back(found->second->output);
    }
  };
  for (auto& route : routes) {
    if (route.next_hop_id == 0 || !route.outputs.empty()) continue;
    add_output(route.next_hop_id, route.outputs);
    const auto found = by_id.find(route.next_hop_id);
    if (found == by_id.end()) continue;
    for (const auto member : found->second->group) add_output(member, route.outputs);
  }
}

}  // namespace manactl::os
