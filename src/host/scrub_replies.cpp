// SPDX-License-Identifier: MIT

#include <set>

#include "base/text.h"
#include "host/bundle.h"
#include "host/carried_traffic.h"
#include "host/scrub_files.h"
#include "host/snapshot.h"
#include "os/btf.h"

namespace manactl::host {
namespace {

constexpr const char* kRoutes = "manactl/routes.json";

// The prefix of a route that contains one address only: "10.0.0.4/32".
std::string single(std::string_view destination) {
  const auto address = destination.substr(0, destination.find('/'));
  const bool six = address.find(':') != std::string_view::npos;
  return fmt::format("{}/{}", address, six ? 128 : 32);
}

// The files that read_snapshot() and remote_storage() read.
TreeEntries replies_of(const TreeEntries& tree) {
  TreeEntries replies;
  for (const auto& [path, entry] : tree) {
    const bool is_read = (path.starts_with("manactl/") && path.ends_with(".json")) ||
                         path.starts_with("proc/") ||
                         path.find("iscsi_connection") != std::string::npos;
    if (is_read) replies.emplace(path, entry);
  }
  return replies;
}

}  // namespace

void keep_routes_to_storage(TreeEntries& tree) {
  if (tree.count(kRoutes) == 0) return;
  const auto files = files_of(replies_of(tree));
  auto snapshot = read_snapshot(*files);
  if (!snapshot || !snapshot->routes) return;
  std::vector<os::Route> kept;
  for (const auto& route : *snapshot->routes) {
    if (route.destination == "default") kept.push_back(route);
  }
  WorkLimit limit;
  std::set<std::string> servers;
  const auto found = remote_storage(*files);
  for (const auto& storage : found.value_or(std::vector<RemoteStorage>{})) {
    if (!servers.insert(storage.server).second) continue;
    if (!limit.take(snapshot->routes->size())) break;
    for (auto route : routes_to(storage.server, *snapshot->routes)) {
      if (route.destination == "default") continue;
      route.destination = single(storage.server);
      kept.push_back(std::move(route));
    }
  }
  for (auto route : *snapshot->routes) {
    if (route.destination == "default") continue;
    route.destination = single(route.destination);
    kept.push_back(std::move(route));
  }
  snapshot->routes = std::move(kept);
  tree[kRoutes].text = write_snapshot(*snapshot).at(kRoutes);
}

void keep_enumerator(TreeEntries& tree) {
  constexpr const char* kFolder = "sys/kernel/btf/";
  constexpr std::string_view kName = "RDMA_DRIVER_MANA";
  const std::string vmlinux = std::string(kFolder) + "vmlinux";
  const auto found = tree.find(vmlinux);
  const std::string base = found == tree.end() ? "" : found->second.text;
  for (auto entry = tree.lower_bound(kFolder);
       entry != tree.end() && entry->first.starts_with(kFolder);
       ++entry) {
    if (entry->second.kind != TreeEntry::Kind::file) continue;
    const bool is_base = entry->first == vmlinux;
    const auto value = os::enumerator_value(entry->second.text, is_base ? "" : base, kName);
    entry->second.text = value ? os::single_enumerator(kName, *value, is_base ? 0 : 1) : "";
  }
}

}  // namespace manactl::host
