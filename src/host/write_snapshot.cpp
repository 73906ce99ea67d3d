// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "host/snapshot.h"

namespace manactl::host {
namespace {

using Json = nlohmann::ordered_json;

// Assigns the member, because nlohmann may convert an initializer list with one pair to an array.
Json object_of(const std::string& key, Json value) {
  Json object = Json::object();
  object[key] = std::move(value);
  return object;
}

Json json_of(const Error& error) {
  return object_of("error",
                   {{"code", word_of(kErrcWords, error.code)}, {"message", error.message}});
}

template <class T>
Json json_of_optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const os::Link& link) {
  return {{"index", link.index},
          {"name", link.name},
          {"alternative_names", link.alternative_names},
          {"flags", link.flags},
          {"operstate", link.operstate},
          {"mtu", link.mtu},
          {"mac", link.mac.str()},
          {"master", json_of_optional(link.master)},
          {"lower", json_of_optional(link.lower)},
          {"kind", link.kind},
          {"device", link.device},
          {"rx_packets", link.rx_packets},
          {"tx_packets", link.tx_packets}};
}

Json json_of(const os::Address& address) {
  return {
      {"index", address.index}, {"text", address.text}, {"prefix_length", address.prefix_length}};
}

Json json_of(const os::Route& route) {
  return {{"destination", route.destination},
          {"gateway", route.gateway},
          {"outputs", route.outputs},
          {"table", route.table},
          {"metric", route.metric}};
}

Json json_of(const os::DriverInfo& info) {
  return {{"driver", info.driver},
          {"version", info.version},
          {"bus_info", info.bus_info},
          {"firmware", info.firmware}};
}

Json json_of(const os::Counters& counters) {
  Json object = Json::object();
  for (const auto& [name, value] : counters) object[name] = value;
  return object;
}

Json json_of(const os::InterfaceSettings& settings) {
  Json object = Json::object();
  for (const auto& [key, value] : settings) object[key] = value;
  return object;
}

Json json_of(const os::RdmaDevice& device) {
  Json ports = Json::array();
  for (const auto& port : device.ports) {
    ports.push_back({{"port", port.port}, {"state", port.state}, {"netdev", port.netdev}});
  }
  Json chardev;
  if (device.chardev) {
    chardev = {{"name", device.chardev->name},
               {"abi", device.chardev->abi},
               {"driver_id", json_of_optional(device.chardev->driver_id)}};
  } else {
    chardev = json_of(device.chardev.error());
  }
  return {{"index", device.index},
          {"name", device.name},
          {"node_type", device.node_type},
          {"firmware", device.firmware},
          {"ports", std::move(ports)},
          {"chardev", std::move(chardev)}};
}

Json json_of(const os::ProviderChoice& choice) {
  return {{"device", choice.device},
          {"library", choice.library ? Json(*choice.library) : json_of(choice.library.error())}};
}

Json json_of(const os::TcpSocket& socket) {
  return {{"listening", socket.listening},
          {"local_address", socket.local_address},
          {"local_port", socket.local_port},
          {"remote_address", socket.remote_address},
          {"remote_port", socket.remote_port},
          {"inode", socket.inode}};
}

Json json_of_limit(std::uint64_t bytes) {
  return bytes == UINT64_MAX ? Json("unlimited") : Json(bytes);
}

Json json_of(const os::Privileges& privileges) {
  return {{"uid", privileges.uid},
          {"net_admin", privileges.net_admin},
          {"net_raw", privileges.net_raw},
          {"ipc_lock", privileges.ipc_lock},
          {"sys_admin", privileges.sys_admin},
          {"memlock_soft", json_of_limit(privileges.memlock_soft)},
          {"memlock_hard", json_of_limit(privileges.memlock_hard)}};
}

Json json_of(const os::KernelIdentity& kernel) {
  Json json = {{"release", kernel.release}, {"machine", kernel.machine}};
  if (kernel.page_bytes != 0) json["page_size"] = kernel.page_bytes;
  return json;
}

Json json_of(const CpuList& cpus) {
  return cpus.str();
}

Json json_of(const os::ModuleState& state) {
  return {{"presence", word_of(kPresenceWords, state.presence)}, {"evidence", state.evidence}};
}

Json json_of(const os::Node& node) {
  return {{"type", word_of(kNodeTypeWords, node.type)},
          {"mode", fmt::format("{:04o}", node.mode)},
          {"uid", node.uid},
          {"gid", node.gid},
          {"readable", node.readable},
          {"writable", node.writable}};
}

template <class T>
Json json_of(const Result<T>& result) {
  return result ? json_of(*result) : json_of(result.error());
}

template <class T>
bool is_captured(const Result<T>& result) {
  return result || !is_missing_capture(result.error());
}

// The files written so far, by path.
class JsonFiles {
 public:
  void file(const std::string& name, const Json& value) {
    // Replaces invalid UTF-8: the kernel does not restrict the bytes of names and paths.
    files_["manactl/" + name + ".json"] =
        value.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  template <class T>
  void list(const std::string& name, const std::string& key, const Result<std::vector<T>>& items) {
    if (!is_captured(items)) return;
    if (!items) return file(name, json_of(items.error()));
    Json array = Json::array();
    for (const T& item : *items) array.push_back(json_of(item));
    file(name, object_of(key, std::move(array)));
  }

  template <class T>
  void map(const std::string& name, const std::map<std::string, T>& entries) {
    if (entries.empty()) return;
    Json object = Json::object();
    for (const auto& [key, entry] : entries) object[key] = json_of(entry);
    file(name, object);
  }

  std::map<std::string, std::string> take() { return std::move(files_); }

 private:
  std::map<std::string, std::string> files_;
};

Json process_of(const Snapshot& snapshot) {
  Json process = Json::object();
  if (is_captured(snapshot.privileges)) process["privileges"] = json_of(snapshot.privileges);
  if (is_captured(snapshot.kernel)) process["kernel"] = json_of(snapshot.kernel);
  if (is_captured(snapshot.affinity)) process["affinity"] = json_of(snapshot.affinity);
  const auto& connections = snapshot.ssh_connections;
  process["ssh_connection"] = connections.empty() ? "" : connections.front();
  if (connections.size() > 1) process["ssh_connections"] = connections;
  return process;
}

Json settings_of(const Snapshot& snapshot) {
  Json interfaces = Json::object();
  for (const auto& [name, replies] : snapshot.settings) {
    if (name.empty() || !is_captured(replies.settings)) continue;
    interfaces[name] = {{"settings", json_of(replies.settings)},
                        {"limits", json_of(replies.limits)}};
  }
  return object_of("interfaces", std::move(interfaces));
}

Json ethtool_of(const Snapshot& snapshot) {
  Json interfaces = Json::object();
  for (const auto& [name, replies] : snapshot.ethtool) {
    Json entry = Json::object();
    if (is_captured(replies.driver)) entry["driver"] = json_of(replies.driver);
    if (is_captured(replies.counters)) entry["counters"] = json_of(replies.counters);
    interfaces[name] = std::move(entry);
  }
  return object_of("interfaces", std::move(interfaces));
}

}  // namespace

std::map<std::string, std::string> write_snapshot(const Snapshot& snapshot) {
  JsonFiles files;
  files.list("links", "links", snapshot.links);
  files.list("addresses", "addresses", snapshot.addresses);
  files.list("routes", "routes", snapshot.routes);
  files.list("rdma", "devices", snapshot.rdma);
  files.list("verbs", "providers", snapshot.providers);
  if (!snapshot.libraries) files.file("libraries", json_of(snapshot.libraries.error()));
  files.list("sockets", "tcp", snapshot.tcp);
  files.file("ethtool", ethtool_of(snapshot));
  if (!snapshot.settings.empty()) files.file("settings", settings_of(snapshot));
  files.file("process", process_of(snapshot));
  files.map("modules", snapshot.modules);
  files.map("nodes", snapshot.nodes);
  files.map("file_errors", snapshot.file_errors);
  return files.take();
}

}  // namespace manactl::host
