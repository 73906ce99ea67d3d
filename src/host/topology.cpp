// SPDX-License-Identifier: MIT

#include <net/if.h>

#include <algorithm>

#include "base/text.h"
#include "host/carried_traffic.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxCarried = 100;  // entries of one NIC; one is enough to protect it

}  // namespace

bool WorkLimit::take(std::size_t steps) {
  is_exceeded_ = is_exceeded_ || steps > left_;
  if (!is_exceeded_) left_ -= steps;
  return !is_exceeded_;
}

Topology::Topology(const std::vector<os::Link>& links, std::vector<Nic>& nics) : nics_(nics) {
  std::vector<int> hardware;
  for (const auto& link : links) {
    links_.emplace(link.index, &link);
    if (link.lower) direct_users_[*link.lower].push_back(link.index);
    if (link.master) direct_users_[link.index].push_back(*link.master);
    if (link.kind.empty() && (link.flags & IFF_LOOPBACK) == 0) hardware.push_back(link.index);
  }
  hardware_users_ = users_of(std::move(hardware));
  for (auto& nic : nics_) {
    std::vector<int> own;
    if (nic.synthetic) own.push_back(nic.synthetic->index);
    if (nic.vf) own.push_back(nic.vf->index);
    for (const int user : users_of(std::move(own))) nics_of_[user].push_back(&nic);
  }
}

void Topology::add(int interface, const std::string& traffic) {
  const auto found = nics_of_.find(interface);
  if (found == nics_of_.end() || !limit_.take(found->second.size())) return;
  for (auto* nic : found->second) {
    auto& carries = nic->carries;
    if (carries.size() >= kMaxCarried) continue;
    const bool is_new = std::find(carries.begin(), carries.end(), traffic) == carries.end();
    if (is_new) carries.push_back(traffic);
  }
}

bool Topology::add_through(int interface, const std::string& traffic) {
  const auto* link = find(interface);
  if (link == nullptr || (link->flags & IFF_LOOPBACK) != 0) return false;
  if (hardware_users_.count(interface) != 0) {
    add(interface, traffic);
  } else {
    add_everywhere(traffic, "through " + printable(link->name));
  }
  return true;
}

void Topology::add_everywhere(const std::string& traffic, const std::string& reason) {
  if (!limit_.take(nics_.size())) return;
  const auto guess = fmt::format("{} (perhaps, {})", traffic, reason);
  for (const auto& nic : nics_) {
    if (nic.synthetic && nic.synthetic->up) add(nic.synthetic->index, guess);
    if (!nic.synthetic && nic.vf && nic.vf->up) add(nic.vf->index, guess);
  }
}

bool Topology::is_running(int interface) const {
  const auto* link = find(interface);
  return link != nullptr && link->is_up() && link->is_running();
}

int Topology::index_of(std::string_view name) const {
  const auto found =
      std::ranges::find_if(links_, [&](const auto& entry) { return entry.second->name == name; });
  return found == links_.end() ? 0 : found->first;
}

const os::Link* Topology::find(int interface) const {
  const auto found = links_.find(interface);
  return found == links_.end() ? nullptr : found->second;
}

// Not recursive, because the links of a captured system may form a long chain.
std::set<int> Topology::users_of(std::vector<int> pending) {
  std::set<int> users(pending.begin(), pending.end());
  while (!pending.empty()) {
    const auto found = direct_users_.find(pending.back());
    pending.pop_back();
    if (!limit_.take(1)) break;
    if (found == direct_users_.end()) continue;
    for (const int user : found->second) {
      if (users.insert(user).second) pending.push_back(user);
    }
  }
  return users;
}

}  // namespace manactl::host
