// SPDX-License-Identifier: MIT

#include "os/dry_run.h"

#include <linux/if.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"

namespace manactl::os {
namespace {

constexpr std::string_view kDrivers = "sys/bus/vmbus/drivers/";
constexpr std::string_view kDevices = "sys/bus/vmbus/devices/";

// What all parts of the pretended system share.
struct Story {
  std::vector<std::string> commands;
  std::set<std::string> loaded;         // modules
  std::set<std::string> gone;           // interfaces
  std::map<std::string, bool> up;       // by interface
  std::map<std::string, unsigned> mtu;  // by interface
};

class DryFiles final : public Files {
 public:
  DryFiles(const Files& real, const Modules& modules, Story& story)
      : real_(real), modules_(modules), story_(story) {}

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
    story_.commands.push_back(fmt::format("echo {} > /{}", text.empty() ? "''" : text, path));
    if (path.starts_with(kDrivers)) return write_driver(path.substr(kDrivers.size()), text);
    texts_.insert_or_assign(std::string(path), std::string(text));
    return {};
  }

 private:
  bool is_driver(std::string_view path) const {
    if (!path.starts_with(kDrivers)) return false;
    const std::string name(path.substr(kDrivers.size()));
    if (story_.loaded.count(name) != 0) return true;
    // A captured tree has no driver directories, but tells which modules were loaded.
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
      story_.gone.insert(name);
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
      const auto taken = real_.list("sys/class/uio").value_or(std::vector<std::string>{});
      lists_[path + "/uio"] = std::vector<std::string>{fmt::format("uio{}", taken.size())};
      return;
    }
    lists_[path + "/net"] = names_[device];
    for (const auto& name : names_[device]) story_.gone.erase(name);
  }

  const Files& real_;
  const Modules& modules_;
  Story& story_;
  std::map<std::string, std::string, std::less<>> texts_;
  std::map<std::string, std::optional<std::string>, std::less<>> links_;
  std::map<std::string, std::optional<std::vector<std::string>>, std::less<>> lists_;
  std::map<std::string, std::vector<std::string>> names_;  // of the interfaces of a channel
};

class DryLinks final : public Links {
 public:
  DryLinks(const Links& real, Story& story) : real_(real), story_(story) {}

  Result<std::vector<Link>> links() const override {
    auto found = real_.links();
    if (!found) return found;
    const auto gone = [&](const Link& link) { return story_.gone.count(link.name) != 0; };
    std::set<int> lost;
    for (const auto& link : *found) {
      if (gone(link)) lost.insert(link.index);
    }
    found->erase(std::remove_if(found->begin(), found->end(), gone), found->end());
    for (auto& link : *found) {
      if (link.master && lost.count(*link.master) != 0) link.master.reset();
      const auto up = story_.up.find(link.name);
      if (up != story_.up.end()) {
        link.flags = up->second ? link.flags | IFF_UP : link.flags & ~unsigned{IFF_UP};
      }
      const auto mtu = story_.mtu.find(link.name);
      if (mtu != story_.mtu.end()) link.mtu = mtu->second;
    }
    return found;
  }

  Result<std::vector<Address>> addresses() const override { return real_.addresses(); }

  Result<std::vector<Route>> routes() const override { return real_.routes(); }

  Result<> set_up(int index, bool up) override {
    const auto name = name_of(index);
    story_.commands.push_back(fmt::format("ip link set {} {}", name, up ? "up" : "down"));
    story_.up[name] = up;
    return {};
  }

  Result<> set_mtu(int index, unsigned mtu) override {
    const auto name = name_of(index);
    story_.commands.push_back(fmt::format("ip link set {} mtu {}", name, mtu));
    story_.mtu[name] = mtu;
    return {};
  }

  Result<> rename(int index, const InterfaceName& name) override {
    story_.commands.push_back(fmt::format("ip link set {} name {}", name_of(index), name.str()));
    return {};
  }

  Result<> add_address(const Address& address) override { return note("add", address); }

  Result<> remove_address(const Address& address) override { return note("del", address); }

  Result<> add_route(const Route& route) override { return note("add", route); }

  Result<> remove_route(const Route& route) override { return note("del", route); }

 private:
  std::string name_of(int index) const {
    for (const auto& link : real_.links().value_or(std::vector<Link>{})) {
      if (link.index == index) return link.name;
    }
    return fmt::format("if{}", index);
  }

  Result<> note(std::string_view what, const Address& address) {
    story_.commands.push_back(fmt::format("ip address {} {}/{} dev {}",
                                          what,
                                          address.text,
                                          address.prefix_length,
                                          name_of(address.index)));
    return {};
  }

  Result<> note(std::string_view what, const Route& route) {
    const std::string device = route.outputs.empty() ? "" : name_of(route.outputs.front());
    story_.commands.push_back(
        fmt::format("ip route {} {} dev {}", what, route.destination, device));
    return {};
  }

  const Links& real_;
  Story& story_;
};

class DryModules final : public Modules {
 public:
  DryModules(const Modules& real, Story& story) : real_(real), story_(story) {}

  Result<ModuleState> state(std::string_view name) const override {
    if (story_.loaded.count(std::string(name)) != 0)
      return ModuleState{Presence::loaded, "dry run"};
    return real_.state(name);
  }

  Result<> load(std::string_view name) override {
    story_.commands.push_back(fmt::format("modprobe {}", name));
    story_.loaded.emplace(name);
    return {};
  }

 private:
  const Modules& real_;
  Story& story_;
};

}  // namespace

struct DryRun::Pretended {
  explicit Pretended(const System& system)
      : real(system),
        files(system.files, system.modules, story),
        links(system.links, story),
        modules(system.modules, story) {}

  System real;
  Story story;
  DryFiles files;
  DryLinks links;
  DryModules modules;
};

DryRun::DryRun(const System& real) : pretended_(std::make_unique<Pretended>(real)) {}

DryRun::~DryRun() = default;

System DryRun::system() {
  const System& real = pretended_->real;
  return {pretended_->files,
          pretended_->links,
          real.ethtool,
          real.rdma,
          real.verbs,
          real.devices,
          pretended_->modules,
          real.process,
          real.sockets,
          real.kernel_log};
}

const std::vector<std::string>& DryRun::commands() const {
  return pretended_->story.commands;
}

}  // namespace manactl::os
