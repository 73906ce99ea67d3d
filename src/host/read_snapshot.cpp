// SPDX-License-Identifier: MIT

#include <set>

#include "base/characters.h"
#include "base/json_fields.h"
#include "host/snapshot.h"

namespace manactl::host {
namespace {

constexpr std::uint64_t kMaxIndex = INT32_MAX;  // interface indexes are positive ints

std::optional<int> optional_index(const JsonFields& fields, const char* key) {
  if (!fields.has(key)) return std::nullopt;
  return static_cast<int>(fields.number(key, kMaxIndex));
}

template <class E, std::size_t N>
E enumerator(const JsonFields& fields, const char* key, const EnumWords<E, N>& words, E fallback) {
  const auto value = value_of(words, fields.text(key));
  if (!value) fields.refuse(key, "is not a known word");
  return value.value_or(fallback);
}

// A resource limit: bytes, or "unlimited".
std::uint64_t memory_limit(const JsonFields& fields, const char* key) {
  if (fields.is_text(key) && fields.text(key) == "unlimited") return UINT64_MAX;
  return fields.number(key);
}

// A captured error contains an object "error". A counter with the name "error" is a number.
bool is_error(const JsonFields& fields) {
  return fields.is_object("error");
}

Error parse_error(const JsonFields& fields) {
  const auto error = fields.object("error");
  return {enumerator(error, "code", kErrcWords, Errc::io), 0, error.text("message")};
}

template <class Parse>
auto parse_reply(const JsonFields& fields, Parse parse) -> Result<decltype(parse(fields))> {
  if (is_error(fields)) return tl::unexpected<Error>(parse_error(fields));
  return parse(fields);
}

// Returns the parsed text of the member `key`, or the error that was captured instead of it.
template <class T, class Parse>
Result<T> parse_text_reply(const JsonFields& fields, const char* key, Parse parse) {
  if (fields.is_object(key)) return tl::unexpected<Error>(parse_error(fields.object(key)));
  T value;
  fields.parse_into(value, key, parse);
  return value;
}

os::Link parse_link(const JsonFields& fields) {
  os::Link link;
  fields.number_into(link.index, "index");
  link.name = fields.text("name");
  link.alternative_names = fields.texts("alternative_names");
  fields.number_into(link.flags, "flags");
  link.operstate = fields.text("operstate");
  fields.number_into(link.mtu, "mtu");
  fields.parse_into(link.mac, "mac", MacAddress::parse);
  link.master = optional_index(fields, "master");
  link.lower = optional_index(fields, "lower");
  link.kind = fields.text("kind");
  if (fields.has("device")) link.device = fields.text("device");
  link.rx_packets = fields.number("rx_packets");
  link.tx_packets = fields.number("tx_packets");
  return link;
}

os::Address parse_address(const JsonFields& fields) {
  os::Address address;
  fields.number_into(address.index, "index");
  address.text = fields.text("text");
  fields.number_into(address.prefix_length, "prefix_length");
  return address;
}

os::Route parse_route(const JsonFields& fields) {
  os::Route route;
  route.destination = fields.text("destination");
  route.gateway = fields.text("gateway");
  route.ipv6 = route.destination.find(':') != std::string::npos ||
               route.gateway.find(':') != std::string::npos;
  for (const auto index : fields.numbers("outputs", kMaxIndex)) {
    route.outputs.push_back(static_cast<int>(index));
  }
  fields.number_into(route.table, "table");
  fields.number_into(route.metric, "metric");
  return route;
}

os::DriverInfo parse_driver(const JsonFields& fields) {
  return {fields.text("driver"),
          fields.text("version"),
          fields.text("bus_info"),
          fields.text("firmware")};
}

EthtoolSnapshot parse_ethtool(const JsonFields& fields) {
  EthtoolSnapshot snapshot;
  if (fields.has("driver")) snapshot.driver = parse_reply(fields.object("driver"), parse_driver);
  if (fields.has("counters")) {
    snapshot.counters = parse_reply(fields.object("counters"), [](const JsonFields& counters) {
      return counters.all_numbers();
    });
  }
  return snapshot;
}

SettingsSnapshot parse_settings(const JsonFields& fields) {
  const auto all_of = [&fields](const char* key) {
    const auto texts = fields.text_map(key);
    return os::InterfaceSettings(texts.begin(), texts.end());
  };
  SettingsSnapshot snapshot;
  snapshot.settings = parse_reply(fields.object("settings"),
                                  [&](const JsonFields& /*all*/) { return all_of("settings"); });
  snapshot.limits = all_of("limits");
  return snapshot;
}

os::UverbsChardev parse_chardev(const JsonFields& fields) {
  os::UverbsChardev chardev;
  chardev.name = fields.text("name");
  chardev.abi = fields.number("abi");
  if (fields.has("driver_id")) fields.number_into(chardev.driver_id.emplace(), "driver_id");
  return chardev;
}

os::RdmaDevice parse_rdma(const JsonFields& fields) {
  os::RdmaDevice device;
  fields.number_into(device.index, "index");
  device.name = fields.text("name");
  fields.number_into(device.node_type, "node_type");
  device.firmware = fields.text("firmware");
  for (const auto& entry : fields.objects("ports")) {
    auto& port = device.ports.emplace_back();
    entry.number_into(port.port, "port");
    entry.number_into(port.state, "state");
    port.netdev = entry.text("netdev");
  }
  device.chardev = parse_reply(fields.object("chardev"), parse_chardev);
  return device;
}

os::ProviderChoice parse_provider(const JsonFields& fields) {
  const auto as_is = [](std::string text) { return std::optional(std::move(text)); };
  return {fields.text("device"), parse_text_reply<std::string>(fields, "library", as_is)};
}

os::TcpSocket parse_socket(const JsonFields& fields) {
  os::TcpSocket socket;
  socket.listening = fields.flag("listening");
  socket.local_address = fields.text("local_address");
  socket.remote_address = fields.text("remote_address");
  fields.number_into(socket.local_port, "local_port");
  fields.number_into(socket.remote_port, "remote_port");
  socket.inode = fields.number("inode");
  return socket;
}

// Octal permission bits, as stat(1) prints them: "0666".
std::optional<unsigned> parse_mode(const std::string& text) {
  unsigned mode = 0;
  for (const char c : text) {
    if (!is_octal_digit(c) || mode > 07777) return std::nullopt;
    mode = mode * 8 + static_cast<unsigned>(c - '0');
  }
  return mode & 07777U;
}

os::Node parse_node(const JsonFields& fields) {
  os::Node node;
  node.type = enumerator(fields, "type", kNodeTypeWords, os::Node::Type::other);
  fields.parse_into(node.mode, "mode", parse_mode);
  fields.number_into(node.uid, "uid");
  fields.number_into(node.gid, "gid");
  node.readable = fields.flag("readable");
  node.writable = fields.flag("writable");
  return node;
}

os::ModuleState parse_module(const JsonFields& fields) {
  return {enumerator(fields, "presence", kPresenceWords, Presence::missing),
          fields.text("evidence")};
}

os::Privileges parse_privileges(const JsonFields& fields) {
  os::Privileges privileges;
  fields.number_into(privileges.uid, "uid");
  privileges.net_admin = fields.flag("net_admin");
  privileges.net_raw = fields.flag("net_raw");
  privileges.ipc_lock = fields.flag("ipc_lock");
  privileges.sys_admin = fields.flag("sys_admin");
  privileges.memlock_soft = memory_limit(fields, "memlock_soft");
  privileges.memlock_hard = memory_limit(fields, "memlock_hard");
  return privileges;
}

void parse_process(const JsonFields& fields, Snapshot& snapshot) {
  if (fields.has("privileges")) {
    snapshot.privileges = parse_reply(fields.object("privileges"), parse_privileges);
  }
  if (fields.has("kernel")) {
    snapshot.kernel = parse_reply(fields.object("kernel"), [](const JsonFields& kernel) {
      return os::KernelIdentity{
          kernel.text("release"), kernel.text("machine"), kernel.number_or_zero("page_size")};
    });
  }
  if (fields.has("affinity")) {
    snapshot.affinity = parse_text_reply<CpuList>(fields, "affinity", CpuList::parse);
  }
  if (fields.has("ssh_connections")) {
    snapshot.ssh_connections = fields.texts("ssh_connections");
  } else if (auto only = fields.text_or_empty("ssh_connection"); !only.empty()) {
    snapshot.ssh_connections.push_back(std::move(only));
  }
}

// Reads the JSON files below manactl/ and keeps the first error. All files have one budget.
class SnapshotFiles {
 public:
  explicit SnapshotFiles(const os::Files& files) : files_(files) {}

  // Calls use(root) if the file exists.
  template <class Use>
  void file(const std::string& name, Use use) {
    constexpr std::size_t kMaxBytes = 16U << 20;
    if (!result_) return;
    const std::string path = "manactl/" + name + ".json";
    const auto text = files_.read(path, kMaxBytes);
    if (!text) {
      if (text.error().code != Errc::not_found) result_ = tl::unexpected<Error>(text.error());
      return;
    }
    JsonDocument document(*text, &budget_);
    if (!document.is_object() && document.error().empty()) {
      result_ = fail(Errc::invalid, fmt::format("'{}' is not a JSON object", path));
      return;
    }
    if (document.is_object()) use(document.root());
    if (!document.error().empty()) result_ = fail(Errc::invalid, path + ": " + document.error());
  }

  // Reads the array `key` of a file.
  template <class T, class Parse>
  void list(const std::string& name, const char* key, Parse parse, Result<std::vector<T>>& into) {
    const auto items_of = [&](const JsonFields& fields) {
      std::vector<T> items;
      for (const auto& item : fields.objects(key)) {
        if (!fields.charge(2 * sizeof(T))) break;  // a growing vector holds its elements twice
        items.push_back(parse(item));
      }
      return items;
    };
    file(name, [&](const JsonFields& root) { into = parse_reply(root, items_of); });
  }

  // Calls visit(name, member) for every member of an object of objects.
  template <class Visit>
  static void members(const JsonFields& fields, Visit visit) {
    constexpr std::size_t kNode = 256;  // of std::map
    for (const auto& name : fields.keys()) {
      if (!fields.charge(kNode + name.size())) return;
      visit(name, fields.object(name.c_str()));
    }
  }

  const Result<>& result() const { return result_; }

 private:
  static constexpr std::size_t kMaxJson = 128U << 20;

  const os::Files& files_;
  Result<> result_;
  Budget budget_{"the JSON below manactl/", kMaxJson};
};

// The kernel gives each interface an index of its own. Traffic and addresses of one interface thus
// belong to one NIC, so that their number is not multiplied by the number of NICs.
Result<> check_indexes(const Result<std::vector<os::Link>>& links) {
  std::set<std::uint32_t> indexes;
  for (const auto& link : links.value_or(std::vector<os::Link>{})) {
    if (!indexes.insert(static_cast<std::uint32_t>(link.index)).second) {
      return fail(Errc::invalid,
                  fmt::format("manactl/links.json: two links have the index {}", link.index));
    }
  }
  return {};
}

}  // namespace

Result<Snapshot> read_snapshot(const os::Files& files) {
  Snapshot snapshot;
  SnapshotFiles source(files);
  source.list("links", "links", parse_link, snapshot.links);
  source.list("addresses", "addresses", parse_address, snapshot.addresses);
  source.list("routes", "routes", parse_route, snapshot.routes);
  source.list("rdma", "devices", parse_rdma, snapshot.rdma);
  source.list("verbs", "providers", parse_provider, snapshot.providers);
  source.file("libraries", [&](const JsonFields& root) {
    snapshot.libraries = tl::unexpected<Error>(parse_error(root));
  });
  source.list("sockets", "tcp", parse_socket, snapshot.tcp);
  source.file("ethtool", [&](const JsonFields& root) {
    SnapshotFiles::members(root.object("interfaces"), [&](const auto& name, const auto& fields) {
      snapshot.ethtool.emplace(name, parse_ethtool(fields));
    });
  });
  source.file("settings", [&](const JsonFields& root) {
    SnapshotFiles::members(root.object("interfaces"), [&](const auto& name, const auto& fields) {
      snapshot.settings.emplace(name, parse_settings(fields));
    });
  });
  source.file("process", [&](const JsonFields& root) { parse_process(root, snapshot); });
  source.file("modules", [&](const JsonFields& root) {
    SnapshotFiles::members(root, [&](const auto& name, const auto& fields) {
      snapshot.modules.emplace(name, parse_reply(fields, parse_module));
    });
  });
  source.file("nodes", [&](const JsonFields& root) {
    SnapshotFiles::members(root, [&](const auto& path, const auto& fields) {
      snapshot.nodes.emplace(path, parse_node(fields));
    });
  });
  source.file("file_errors", [&](const JsonFields& root) {
    SnapshotFiles::members(root, [&](const auto& path, const auto& fields) {
      snapshot.file_errors.emplace(path, is_error(fields) ? parse_error(fields) : Error{});
    });
  });
  auto good = source.result();
  if (good) good = check_indexes(snapshot.links);
  if (!good) return tl::unexpected<Error>(good.error());
  return snapshot;
}

}  // namespace manactl::host
