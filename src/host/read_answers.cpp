// SPDX-License-Identifier: MIT

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/text.h"
#include "host/json_answers.h"
#include "host/json_names.h"

namespace manactl::host {
namespace {

using Json = nlohmann::ordered_json;  // counters keep the driver's order

// Bundles come from other machines: a value of the wrong kind is an error, never an exception. The
// first one is kept and the reading goes on with defaults. A reader lives no longer than the one it
// comes from: where it stands is only put into words when something is wrong.
class Reader {
 public:
  Reader(const Json& value, std::string_view file, std::optional<Error>& problem)
      : value_(&value), name_(file), problem_(&problem) {}

  Reader at(std::string_view key) const {
    static const Json null;
    if (!value_->is_object()) {
      expected("an object");
      return {null, *this, key};
    }
    for (const auto& [name, value] : value_->get_ref<const Json::object_t&>()) {
      if (name == key) return {value, *this, key};
    }
    return {null, *this, key};
  }

  bool absent() const { return value_->is_null(); }

  bool is_object() const { return value_->is_object(); }

  std::string text() const {
    if (value_->is_string()) return value_->get<std::string>();
    expected("a string");
    return {};
  }

  bool boolean() const {
    if (value_->is_boolean()) return value_->get<bool>();
    expected("true or false");
    return false;
  }

  template <class T>
  T number() const {
    static_assert(std::is_integral_v<T>);
    if (value_->is_number_unsigned()) {
      const auto number = value_->get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
        return static_cast<T>(number);
      }
    } else if (std::is_signed_v<T> && value_->is_number_integer()) {
      const auto number = value_->get<std::int64_t>();
      if (number >= static_cast<std::int64_t>(std::numeric_limits<T>::min())) {
        return static_cast<T>(number);
      }
    }
    expected(fmt::format("an integer of at most {}", std::numeric_limits<T>::max()));
    return 0;
  }

  template <class T>
  std::optional<T> optional_number() const {
    if (absent()) return std::nullopt;
    return number<T>();
  }

  // A resource limit: bytes, or "unlimited".
  std::uint64_t limit() const {
    if (value_->is_string() && *value_ == "unlimited") return UINT64_MAX;
    return number<std::uint64_t>();
  }

  template <class T, class Parse>
  std::vector<T> list(Parse parse) const {
    std::vector<T> result;
    if (!value_->is_array()) {
      expected("an array");
      return result;
    }
    result.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i) {
      result.push_back(parse(Reader((*value_)[i], *this, {}, Kind::element, i)));
    }
    return result;
  }

  template <class Visit>
  void members(Visit visit) const {
    if (!value_->is_object()) return expected("an object");
    for (const auto& [key, value] : value_->get_ref<const Json::object_t&>()) {
      visit(key, Reader(value, *this, key, Kind::member));
    }
  }

  // The error that was captured in place of an answer.
  std::optional<Error> error() const {
    if (!value_->is_object() || !value_->contains("error")) return std::nullopt;
    const Reader entry = at("error");
    if (!entry.is_object()) return std::nullopt;  // "error" may be the name of a counter
    const auto code = value_of(kErrcNames, entry.at("code").text());
    if (!code) entry.at("code").expected("the name of an error code");
    return Error{code.value_or(Errc::io), 0, entry.at("message").text()};
  }

  template <class T, class Parse>
  Result<T> answer(Parse parse) const {
    if (auto refused = error()) return tl::unexpected<Error>(std::move(*refused));
    return parse(*this);
  }

  // The text as a type with a parse().
  template <class T>
  T parsed() const {
    auto value = T::parse(text());
    if (value) return *value;
    refuse(value.error().message);
    return {};
  }

  void expected(std::string_view what) const { refuse(fmt::format("{} is expected here", what)); }

 private:
  enum class Kind { field, member, element };

  Reader(const Json& value,
         const Reader& parent,
         std::string_view key,
         Kind kind = Kind::field,
         std::size_t number = 0)
      : value_(&value),
        parent_(&parent),
        kind_(kind),
        name_(key),
        number_(number),
        problem_(parent.problem_) {}

  void refuse(const std::string& what) const {
    if (!*problem_) *problem_ = Error{Errc::invalid, 0, fmt::format("{}: {}", where(), what)};
  }

  // "manactl/links.json: links[2].mtu", "manactl/ethtool.json: interfaces eth0.counters a"
  std::string where() const {
    if (parent_ == nullptr) return std::string(name_) + ":";
    if (kind_ == Kind::element) return fmt::format("{}[{}]", parent_->where(), number_);
    const bool blank = kind_ == Kind::member || parent_->parent_ == nullptr;
    return fmt::format("{}{}{}", parent_->where(), blank ? ' ' : '.', printable(name_, 60));
  }

  const Json* value_;
  const Reader* parent_ = nullptr;
  Kind kind_ = Kind::field;
  std::string_view name_;   // of the member; of the file without a parent
  std::size_t number_ = 0;  // in the array
  std::optional<Error>* problem_;
};

os::Link parse_link(const Reader& r) {
  os::Link link;
  link.index = r.at("index").number<int>();
  link.name = r.at("name").text();
  link.alternative_names =
      r.at("alternative_names").list<std::string>([](const Reader& name) { return name.text(); });
  link.flags = r.at("flags").number<unsigned>();
  link.operstate = r.at("operstate").text();
  link.mtu = r.at("mtu").number<unsigned>();
  link.mac = r.at("mac").parsed<MacAddress>();
  link.master = r.at("master").optional_number<int>();
  link.lower = r.at("lower").optional_number<int>();
  link.kind = r.at("kind").text();
  link.rx_packets = r.at("rx_packets").number<std::uint64_t>();
  link.tx_packets = r.at("tx_packets").number<std::uint64_t>();
  return link;
}

os::Address parse_address(const Reader& r) {
  return {
      r.at("index").number<int>(), r.at("text").text(), r.at("prefix_length").number<unsigned>()};
}

os::Route parse_route(const Reader& r) {
  const auto output = [](const Reader& index) { return index.number<int>(); };
  return {r.at("destination").text(),
          r.at("gateway").text(),
          r.at("outputs").list<int>(output),
          r.at("table").number<unsigned>(),
          r.at("metric").number<std::uint32_t>()};
}

os::Counters parse_counters(const Reader& r) {
  os::Counters counters;
  r.members([&](const std::string& name, const Reader& value) {
    counters.emplace_back(name, value.number<std::uint64_t>());
  });
  return counters;
}

EthtoolAnswer parse_ethtool(const Reader& r) {
  EthtoolAnswer answer;
  if (!r.at("driver").absent()) {
    answer.driver = r.at("driver").answer<os::DriverInfo>([](const Reader& info) {
      return os::DriverInfo{info.at("driver").text(),
                            info.at("version").text(),
                            info.at("bus_info").text(),
                            info.at("firmware").text()};
    });
  }
  if (!r.at("counters").absent()) {
    answer.counters = r.at("counters").answer<os::Counters>(parse_counters);
  }
  return answer;
}

os::RdmaDevice parse_rdma(const Reader& r) {
  os::RdmaDevice device;
  device.index = r.at("index").number<unsigned>();
  device.name = r.at("name").text();
  device.node_type = r.at("node_type").number<unsigned>();
  device.firmware = r.at("firmware").text();
  device.ports = r.at("ports").list<os::RdmaPort>([](const Reader& port) {
    return os::RdmaPort{port.at("port").number<unsigned>(),
                        port.at("state").number<unsigned>(),
                        port.at("netdev").text()};
  });
  device.chardev = r.at("chardev").answer<os::UverbsChardev>([](const Reader& chardev) {
    return os::UverbsChardev{chardev.at("name").text(),
                             chardev.at("abi").number<std::uint64_t>(),
                             chardev.at("driver_id").optional_number<std::uint32_t>()};
  });
  return device;
}

os::ProviderChoice parse_provider(const Reader& r) {
  os::ProviderChoice choice{r.at("device").text(), std::string()};
  choice.library = r.at("library").answer<std::string>([](const Reader& l) { return l.text(); });
  return choice;
}

os::TcpSocket parse_socket(const Reader& r) {
  os::TcpSocket socket;
  socket.listening = r.at("listening").boolean();
  socket.local_address = r.at("local_address").text();
  socket.remote_address = r.at("remote_address").text();
  socket.local_port = r.at("local_port").number<std::uint16_t>();
  socket.remote_port = r.at("remote_port").number<std::uint16_t>();
  socket.inode = r.at("inode").number<std::uint64_t>();
  return socket;
}

// An octal string, as stat prints it: "0666".
unsigned parse_mode(const Reader& r) {
  const std::string text = r.text();
  unsigned mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7' || mode > 07777) {
      r.expected("an octal mode");
      return 0;
    }
    mode = mode * 8 + static_cast<unsigned>(c - '0');
  }
  return mode & 07777U;
}

os::Node parse_node(const Reader& r) {
  const auto type = value_of(kNodeTypeNames, r.at("type").text());
  if (!type) r.at("type").expected("file, directory, character_device or other");
  return {type.value_or(os::Node::Type::other),
          parse_mode(r.at("mode")),
          r.at("uid").number<unsigned>(),
          r.at("gid").number<unsigned>(),
          r.at("readable").boolean(),
          r.at("writable").boolean()};
}

os::ModuleState parse_module(const Reader& r) {
  const auto presence = value_of(kPresenceNames, r.at("presence").text());
  if (!presence) r.at("presence").expected("the name of a presence");
  return {presence.value_or(Presence::missing), r.at("evidence").text()};
}

// One file of the capture: parsed, checked, and its problem remembered.
class Source {
 public:
  explicit Source(const os::Files& files) : files_(files) {}

  // Calls use(reader) when the file is there.
  template <class Use>
  void file(const std::string& name, Use use) {
    constexpr std::size_t kMost = 16U << 20;
    if (problem_) return;
    const std::string path = "manactl/" + name + ".json";
    const auto text = files_.read(path, kMost);
    if (!text) {
      if (text.error().code != Errc::not_found) problem_ = text.error();
      return;
    }
    const Json value = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!value.is_object()) {
      problem_ = Error{Errc::invalid, 0, path + ": a JSON object is expected here"};
      return;
    }
    use(Reader(value, path, problem_));
  }

  template <class T, class Parse>
  void list(const std::string& name,
            const std::string& key,
            Parse parse,
            Result<std::vector<T>>& into) {
    file(name, [&](const Reader& r) {
      into = r.answer<std::vector<T>>([&](const Reader& o) { return o.at(key).list<T>(parse); });
    });
  }

  std::optional<Error>& problem() { return problem_; }

 private:
  const os::Files& files_;
  std::optional<Error> problem_;
};

os::Privileges parse_privileges(const Reader& p) {
  os::Privileges privileges;
  privileges.uid = p.at("uid").number<unsigned>();
  privileges.net_admin = p.at("net_admin").boolean();
  privileges.net_raw = p.at("net_raw").boolean();
  privileges.ipc_lock = p.at("ipc_lock").boolean();
  privileges.sys_admin = p.at("sys_admin").boolean();
  privileges.memlock_soft = p.at("memlock_soft").limit();
  privileges.memlock_hard = p.at("memlock_hard").limit();
  return privileges;
}

void read_process(const Reader& r, Answers& answers) {
  if (const Reader p = r.at("privileges"); !p.absent()) {
    answers.privileges = p.answer<os::Privileges>(parse_privileges);
  }
  if (const Reader k = r.at("kernel"); !k.absent()) {
    answers.kernel = k.answer<os::KernelIdentity>([](const Reader& o) {
      return os::KernelIdentity{o.at("release").text(), o.at("machine").text()};
    });
  }
  if (const Reader a = r.at("affinity"); !a.absent()) {
    answers.affinity = a.answer<CpuList>([](const Reader& o) { return o.parsed<CpuList>(); });
  }
  if (const Reader s = r.at("ssh_connection"); !s.absent()) answers.ssh_connection = s.text();
}

}  // namespace

Result<Answers> read_answers(const os::Files& files) {
  Answers answers;
  Source source(files);
  source.list("links", "links", parse_link, answers.links);
  source.list("addresses", "addresses", parse_address, answers.addresses);
  source.list("routes", "routes", parse_route, answers.routes);
  source.list("rdma", "devices", parse_rdma, answers.rdma);
  source.list("verbs", "providers", parse_provider, answers.providers);
  source.list("sockets", "tcp", parse_socket, answers.tcp);
  source.file("ethtool", [&](const Reader& r) {
    r.at("interfaces").members([&](const std::string& name, const Reader& entry) {
      answers.ethtool.emplace(name, parse_ethtool(entry));
    });
  });
  source.file("process", [&](const Reader& r) { read_process(r, answers); });
  source.file("modules", [&](const Reader& r) {
    r.members([&](const std::string& name, const Reader& entry) {
      answers.modules.emplace(name, entry.answer<os::ModuleState>(parse_module));
    });
  });
  source.file("nodes", [&](const Reader& r) {
    r.members([&](const std::string& path, const Reader& entry) {
      answers.nodes.emplace(path, parse_node(entry));
    });
  });
  source.file("file_errors", [&](const Reader& r) {
    r.members([&](const std::string& path, const Reader& entry) {
      answers.file_errors.emplace(path, entry.error().value_or(Error{}));
    });
  });
  if (source.problem()) return tl::unexpected<Error>(*source.problem());
  return answers;
}

}  // namespace manactl::host
