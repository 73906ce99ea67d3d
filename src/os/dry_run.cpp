// SPDX-License-Identifier: MIT

#include "os/dry_run.h"

#include <net/if.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "os/setting_commands.h"

namespace manactl::os {
namespace {

constexpr std::string_view kDrivers = "sys/bus/vmbus/drivers/";
constexpr std::string_view kDevices = "sys/bus/vmbus/devices/";

// The changes recorded so far, shared by the dry-run implementations of Files, Links and Modules.
struct PendingChanges {
  std::vector<std::string> commands;
  std::set<std::string> loaded_modules;
  std::set<std::string> removed_links;
  std::map<std::string, bool> up;                              // by interface name
  std::map<std::string, unsigned> mtu;                         // by interface name
  std::map<int, std::map<std::string, std::string>> settings;  // by interface index and key
};

class DryRunFiles final : public Files {
 public:
  DryRunFiles(const Files& real, const Modules& modules, PendingChanges& changes)
      : real_(real), modules_(modules), changes_(changes) {}

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override {
    const auto found = texts_.find(path);
    return found == texts_.end() ? real_.read(path, max_bytes) : Result<std::string>(found->second);
  }

  Result<std::string> link_target(std::string_view path) const override {
    const auto found = links_.find(path);
    if (found == links_.end()) return real_.link_target(path);
    if (!found->second) return fail_errno(ENOENT, fmt::format("cannot read the link '/{}'", path));
    return *found->second;
  }

  Result<std::vector<std::string>> list(std::string_view dir) const override {
    const auto found = lists_.find(dir);
    if (found == lists_.end()) return real_.list(dir);
    if (!found->second) return fail_errno(ENOENT, fmt::format("cannot list '/{}'", dir));
    return *found->second;
  }

  Result<Node> node(std::string_view path) const override {
    if (texts_.find(path) != texts_.end()) return Node{Node::Type::file, 0644, 0, 0, true, true};
    if (is_driver(path)) return Node{Node::Type::directory, 0755, 0, 0, true, true};
    return real_.node(path);
  }

  Result<> write(std::string_view path, std::string_view text) override {
    changes_.commands.push_back(fmt::format("echo {} > /{}", shell_word(text), path));
    if (path.starts_with(kDrivers)) return write_driver(path.substr(kDrivers.size()), text);
    texts_.insert_or_assign(std::string(path), std::string(text));
    return {};
  }

 private:
  bool is_driver(std::string_view path) const {
    if (!path.starts_with(kDrivers)) return false;
    const std::string name(path.substr(kDrivers.size()));
    if (changes_.loaded_modules.count(name) != 0) return true;
    // A captured tree has no driver directories. There, a driver exists if its module is loaded.
    const auto state = modules_.state(name);
    return state && (state->presence == Presence::loaded || state->presence == Presence::builtin);
  }

  Result<> write_driver(std::string_view path, std::string_view text) {
    const auto slash = path.find('/');
    const std::string driver(path.substr(0, slash));
    const auto action = slash == std::string_view::npos ? path : path.substr(slash + 1);
    const std::string directory = std::string(kDrivers) + driver;
    if (!exists(*this, directory)) {
      return fail_errno(ENOENT, fmt::format("cannot write '/{}/{}'", directory, action));
    }
    if (action == "unbind") unbind(std::string(text));
    if (action == "bind") bind(driver, std::string(text));
    return {};
  }

  void unbind(const std::string& device) {
    const std::string path = std::string(kDevices) + device;
    for (const auto& name : list(path + "/net").value_or(std::vector<std::string>{})) {
      changes_.removed_links.insert(name);
    }
    if (!names_.count(device)) names_[device] = list(path + "/net").value_or(names_[device]);
    links_[path + "/driver"] = std::nullopt;
    lists_[path + "/net"] = std::nullopt;
    lists_[path + "/uio"] = std::nullopt;
  }

  void bind(const std::string& driver, const std::string& device) {
    const std::string path = std::string(kDevices) + device;
    links_[path + "/driver"] = "../../../../bus/vmbus/drivers/" + driver;
    if (driver == "uio_hv_generic") {
      const auto existing = real_.list("sys/class/uio").value_or(std::vector<std::string>{});
      lists_[path + "/uio"] = std::vector<std::string>{fmt::format("uio{}", existing.size())};
      return;
    }
    lists_[path + "/net"] = names_[device];
    for (const auto& name : names_[device]) changes_.removed_links.erase(name);
  }

  const Files& real_;
  const Modules& modules_;
  PendingChanges& changes_;
  std::map<std::string, std::string, std::less<>> texts_;
  std::map<std::string, std::optional<std::string>, std::less<>> links_;
  std::map<std::string, std::optional<std::vector<std::string>>, std::less<>> lists_;
  std::map<std::string, std::vector<std::string>> names_;  // interfaces of each unbound channel
};

class DryRunLinks final : public Links {
 public:
  DryRunLinks(const Links& real, PendingChanges& changes) : real_(real), changes_(changes) {}

  Result<std::vector<Link>> links() const override {
    auto found = real_.links();
    if (!found) return found;
    const auto is_removed = [&](const Link& link) {
      return changes_.removed_links.count(link.name) != 0;
    };
    std::set<int> removed;
    for (const auto& link : *found) {
      if (is_removed(link)) removed.insert(link.index);
    }
    found->erase(std::remove_if(found->begin(), found->end(), is_removed), found->end());
    for (auto& link : *found) {
      if (link.master && removed.count(*link.master) != 0) link.master.reset();
      const auto up = changes_.up.find(link.name);
      if (up != changes_.up.end()) {
        link.flags = up->second ? link.flags | IFF_UP : link.flags & ~unsigned{IFF_UP};
      }
      const auto mtu = changes_.mtu.find(link.name);
      if (mtu != changes_.mtu.end()) link.mtu = mtu->second;
    }
    return found;
  }

  Result<std::vector<Address>> addresses() const override { return real_.addresses(); }

  Result<std::vector<Route>> routes() const override { return real_.routes(); }

  Result<std::vector<NextHop>> next_hops() const override { return real_.next_hops(); }

  Result<std::vector<int>> find_outputs(const RouteQuery& query) const override {
    return real_.find_outputs(query);
  }

  Result<ForeignUppers> foreign_uppers() const override { return real_.foreign_uppers(); }

  Result<std::vector<std::string>> attachments(int index) const override {
    return real_.attachments(index);
  }

  Result<InterfaceSettings> settings(int index) const override {
    auto settings = real_.settings(index);
    const auto changed = changes_.settings.find(index);
    if (!settings || changed == changes_.settings.end()) return settings;
    for (const auto& change : changed->second) {
      std::erase_if(*settings, [&](const auto& setting) { return setting.first == change.first; });
      settings->push_back(change);
    }
    return settings;
  }

  Result<InterfaceSettings> limits(int index) const override { return real_.limits(index); }

  Result<> set(int index, const std::string& key, const std::string& value) override {
    std::string now;
    for (const auto& [present, text] : settings(index).value_or(InterfaceSettings{})) {
      if (present == key) now = text;
    }
    changes_.commands.push_back(setting_command(key, value, now, name_of(index)));
    changes_.settings[index][key] = value;
    return {};
  }

  Result<> set_up(int index, bool up) override {
    const auto name = name_of(index);
    changes_.commands.push_back(
        fmt::format("ip link set {} {}", shell_word(name), up ? "up" : "down"));
    changes_.up[name] = up;
    return {};
  }

  Result<> set_mtu(int index, unsigned mtu) override {
    const auto name = name_of(index);
    changes_.commands.push_back(fmt::format("ip link set {} mtu {}", shell_word(name), mtu));
    changes_.mtu[name] = mtu;
    return {};
  }

  Result<> rename(int index, const InterfaceName& name) override {
    changes_.commands.push_back(
        fmt::format("ip link set {} name {}", shell_word(name_of(index)), shell_word(name.str())));
    return {};
  }

  Result<> add_address(const Address& address) override { return record("add", address); }

  Result<> remove_address(const Address& address) override { return record("del", address); }

  Result<> add_route(const Route& route) override { return record("add", route); }

  Result<> remove_route(const Route& route) override { return record("del", route); }

 private:
  std::string name_of(int index) const {
    for (const auto& link : real_.links().value_or(std::vector<Link>{})) {
      if (link.index == index) return link.name;
    }
    return fmt::format("if{}", index);
  }

  Result<> record(std::string_view verb, const Address& address) {
    changes_.commands.push_back(fmt::format("ip address {} {}/{} dev {}",
                                            verb,
                                            address.text,
                                            address.prefix_length,
                                            shell_word(name_of(address.index))));
    return {};
  }

  Result<> record(std::string_view verb, const Route& route) {
    const std::string device = route.outputs.empty() ? "" : name_of(route.outputs.front());
    changes_.commands.push_back(fmt::format("ip route {} {} dev {}",
                                            verb,
                                            route.destination,
                                            device.empty() ? device : shell_word(device)));
    return {};
  }

  const Links& real_;
  PendingChanges& changes_;
};

class DryRunModules final : public Modules {
 public:
  DryRunModules(const Modules& real, PendingChanges& changes) : real_(real), changes_(changes) {}

  Result<ModuleState> state(std::string_view name) const override {
    if (changes_.loaded_modules.count(std::string(name)) != 0)
      return ModuleState{Presence::loaded, "dry run"};
    return real_.state(name);
  }

  Result<> load(std::string_view name) override {
    changes_.commands.push_back(fmt::format("modprobe {}", name));
    changes_.loaded_modules.emplace(name);
    return {};
  }

 private:
  const Modules& real_;
  PendingChanges& changes_;
};

}  // namespace

struct DryRun::Parts {
  explicit Parts(const System& system)
      : real(system),
        files(system.files, system.modules, changes),
        links(system.links, changes),
        modules(system.modules, changes) {}

  System real;
  PendingChanges changes;
  DryRunFiles files;
  DryRunLinks links;
  DryRunModules modules;
};

DryRun::DryRun(const System& real) : parts_(std::make_unique<Parts>(real)) {}

DryRun::~DryRun() = default;

System DryRun::system() {
  const System& real = parts_->real;
  return {parts_->files,
          parts_->links,
          real.ethtool,
          real.rdma,
          real.verbs,
          real.devices,
          parts_->modules,
          real.process,
          real.sockets,
          real.kernel_log};
}

const std::vector<std::string>& DryRun::commands() const {
  return parts_->changes.commands;
}

}  // namespace manactl::os
