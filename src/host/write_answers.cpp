// SPDX-License-Identifier: MIT

#include <nlohmann/json.hpp>

#include "host/json_answers.h"
#include "host/json_names.h"

namespace manactl::host {
namespace {

using Json = nlohmann::ordered_json;

// An object of one member is built by assignment: braces alone may as well mean an array.
Json object_of(const std::string& key, Json value) {
  Json object = Json::object();
  object[key] = std::move(value);
  return object;
}

Json json_of(const Error& error) {
  return object_of("error",
                   {{"code", name_of(kErrcNames, error.code)}, {"message", error.message}});
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
  return {{"release", kernel.release}, {"machine", kernel.machine}};
}

Json json_of(const CpuList& cpus) {
  return cpus.str();
}

Json json_of(const os::ModuleState& state) {
  return {{"presence", name_of(kPresenceNames, state.presence)}, {"evidence", state.evidence}};
}

Json json_of(const os::Node& node) {
  return {{"type", name_of(kNodeTypeNames, node.type)},
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

bool captured(const Error& error) {
  return !error.message.starts_with("not captured: ");
}

template <class T>
bool captured(const Result<T>& result) {
  return result || captured(result.error());
}

class Output {
 public:
  void file(const std::string& name, const Json& value) {
    // Replaces what is not UTF-8: interface names and module paths are bytes to the kernel.
    files_["manactl/" + name + ".json"] =
        value.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  template <class T>
  void list(const std::string& name, const std::string& key, const Result<std::vector<T>>& answer) {
    if (!captured(answer)) return;
    if (!answer) return file(name, json_of(answer.error()));
    Json array = Json::array();
    for (const T& item : *answer) array.push_back(json_of(item));
    file(name, object_of(key, std::move(array)));
  }

  template <class T>
  void map(const std::string& name, const std::map<std::string, T>& answers) {
    if (answers.empty()) return;
    Json object = Json::object();
    for (const auto& [key, answer] : answers) object[key] = json_of(answer);
    file(name, object);
  }

  std::map<std::string, std::string> take() { return std::move(files_); }

 private:
  std::map<std::string, std::string> files_;
};

Json process_of(const Answers& answers) {
  Json process = Json::object();
  if (captured(answers.privileges)) process["privileges"] = json_of(answers.privileges);
  if (captured(answers.kernel)) process["kernel"] = json_of(answers.kernel);
  if (captured(answers.affinity)) process["affinity"] = json_of(answers.affinity);
  process["ssh_connection"] = answers.ssh_connection;
  return process;
}

Json ethtool_of(const Answers& answers) {
  Json interfaces = Json::object();
  for (const auto& [name, answer] : answers.ethtool) {
    Json entry = Json::object();
    if (captured(answer.driver)) entry["driver"] = json_of(answer.driver);
    if (captured(answer.counters)) entry["counters"] = json_of(answer.counters);
    interfaces[name] = std::move(entry);
  }
  return object_of("interfaces", std::move(interfaces));
}

}  // namespace

std::map<std::string, std::string> write_answers(const Answers& answers) {
  Output output;
  output.list("links", "links", answers.links);
  output.list("addresses", "addresses", answers.addresses);
  output.list("routes", "routes", answers.routes);
  output.list("rdma", "devices", answers.rdma);
  output.list("verbs", "providers", answers.providers);
  output.list("sockets", "tcp", answers.tcp);
  output.file("ethtool", ethtool_of(answers));
  output.file("process", process_of(answers));
  output.map("modules", answers.modules);
  output.map("nodes", answers.nodes);
  output.map("file_errors", answers.file_errors);
  return output.take();
}

}  // namespace manactl::host
