// SPDX-License-Identifier: MIT
//
// The interfaces of os::System, implemented on the state of a FakeVm.

#pragma once

#include <linux/rtnetlink.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/text.h"
#include "setup/fake_vm.h"
#include "support/fixtures.h"

namespace manactl::test {

// The route that the kernel adds for an address.
inline os::Route connected_route(int index, const os::Address& address) {
  os::Route route;
  const auto dot = address.text.rfind('.');
  route.destination = address.text.substr(0, dot) + ".0/24";
  route.outputs = {index};
  route.table = RT_TABLE_MAIN;
  route.protocol = RTPROT_KERNEL;
  route.scope = RT_SCOPE_LINK;
  route.source = address.text;
  return route;
}

class FakeFiles final : public os::Files {
 public:
  explicit FakeFiles(FakeVm& vm) : vm_(vm) {}

  Result<std::string> read(std::string_view path, std::size_t max) const override {
    if (const auto may = vm_.may_read(path); !may) return tl::unexpected<Error>(may.error());
    ++vm_.reads;
    return vm_.tree().read(path, max);
  }

  Result<std::string> link_target(std::string_view path) const override {
    if (const auto may = vm_.may_read(path); !may) return tl::unexpected<Error>(may.error());
    ++vm_.reads;
    return vm_.tree().link_target(path);
  }

  Result<std::vector<std::string>> list(std::string_view dir) const override {
    if (const auto may = vm_.may_read(dir); !may) return tl::unexpected<Error>(may.error());
    ++vm_.reads;
    return vm_.tree().list(dir);
  }

  Result<os::Node> node(std::string_view path) const override {
    ++vm_.reads;
    return vm_.tree().node(path);
  }

  Result<> write(std::string_view path, std::string_view text) override {
    const std::string where(path);
    const std::string what(trim(text));
    return vm_.act("echo " + what + " > " + where, false, [&] { return vm_.write(where, what); });
  }

 private:
  FakeVm& vm_;
};

class FakeLinks final : public os::Links {
 public:
  explicit FakeLinks(FakeVm& vm) : vm_(vm) {}

  Result<std::vector<os::Link>> links() const override {
    if (const auto may = vm_.may_read("links"); !may) return tl::unexpected<Error>(may.error());
    std::vector<os::Link> found;
    for (const auto& [index, link] : vm_.state.links) found.push_back(link);
    vm_.reads += found.size();
    return found;
  }

  Result<std::vector<os::Address>> addresses() const override {
    if (const auto may = vm_.may_read("addresses"); !may) return tl::unexpected<Error>(may.error());
    vm_.reads += vm_.state.addresses.size();
    return vm_.state.addresses;
  }

  Result<std::vector<os::Route>> routes() const override {
    if (const auto may = vm_.may_read("routes"); !may) return tl::unexpected<Error>(may.error());
    vm_.reads += vm_.state.routes.size();
    return vm_.state.routes;
  }

  Result<os::ForeignUppers> foreign_uppers() const override { return vm_.state.foreign_uppers; }

  Result<std::vector<std::string>> attachments(int index) const override {
    if (const auto may = vm_.may_read("attachments"); !may)
      return tl::unexpected<Error>(may.error());
    const auto found = vm_.state.attachments.find(index);
    return found == vm_.state.attachments.end() ? std::vector<std::string>{} : found->second;
  }

  Result<os::InterfaceSettings> settings(int index) const override {
    const auto found = vm_.state.links.find(index);
    if (found == vm_.state.links.end()) return fail_errno(ENODEV, "cannot read the settings");
    if (const auto event = std::exchange(vm_.while_reading, {})) event();
    auto all = vm_.state.defaults;
    for (const auto& [key, value] : vm_.state.settings[index]) all[key] = value;
    std::erase_if(all, [](const auto& one) { return one.first.find('@') != std::string::npos; });
    return os::InterfaceSettings(all.begin(), all.end());
  }

  Result<> set(int index, const std::string& key, const std::string& value) override {
    return on(index, key + " " + value, [&](os::Link&) -> Result<> {
      auto& own = vm_.state.settings[index];
      // The last word of both values: the number of channels, and the last queue of the table.
      const auto last = [](const std::string& text) {
        return parse_unsigned(text.substr(text.rfind(' ') + 1)).value_or(0);
      };
      const auto channels = own.contains("ethtool/channels")
                                ? own["ethtool/channels"]
                                : vm_.state.defaults["ethtool/channels"];
      if (key == "ethtool/rss" && last(value) >= last(channels))
        return fail_errno(EINVAL, "cannot set the table");
      own[key] = value;
      // The driver makes a new table.
      if (own.contains("ethtool/rss") && (key == "ethtool/channels" || key == "ethtool/rings"))
        own["ethtool/rss"] = "1 - 0 0";
      // The kernel chooses the handle of a queueing discipline; its own one is not a setting.
      if (key == "link/qdisc" && value.ends_with(" 0 -"))
        vm_.state.settings[index][key] = value.substr(0, value.find(' ')) + " 8001 -";
      if (value == os::kDefaultQueueing) vm_.state.settings[index].erase(key);
      return {};
    });
  }

  Result<os::InterfaceSettings> limits(int /*index*/) const override {
    return os::InterfaceSettings(vm_.state.limits.begin(), vm_.state.limits.end());
  }

  Result<> set_up(int index, bool up) override {
    return on(index, up ? "up" : "down", [&](os::Link&) { return vm_.set_up(index, up); });
  }

  Result<> set_mtu(int index, unsigned mtu) override {
    return on(index, fmt::format("mtu {}", mtu), [&](os::Link& link) -> Result<> {
      if (mtu > 9000) return fail_errno(EINVAL, "cannot set the MTU");
      link.mtu = mtu;
      if (const auto* channel = vm_.channel_with(link)) {
        if (auto* vf = vm_.find(channel->vf); vf != nullptr && vf->master == index) vf->mtu = mtu;
      }
      return {};
    });
  }

  Result<> rename(int index, const InterfaceName& name) override {
    return on(index, "name " + name.str(), [&](os::Link& link) -> Result<> {
      if (link.is_up()) return fail_errno(EBUSY, "cannot rename");  // before Linux 6.2
      if (vm_.link(name.str()) != nullptr) return fail_errno(EEXIST, "cannot rename");
      link.name = name.str();
      return {};
    });
  }

  Result<> add_address(const os::Address& address) override {
    return on(address.index, "address add " + address.text, [&](os::Link& link) -> Result<> {
      vm_.state.addresses.push_back(address);
      const bool four = address.text.find('.') != std::string::npos;
      if (link.is_up() && four) vm_.state.routes.push_back(connected_route(address.index, address));
      return {};
    });
  }

  Result<> add_route(const os::Route& route) override {
    return on(
        route.outputs.at(0), "route add " + route.destination, [&](os::Link& link) -> Result<> {
          if (!link.is_up()) return fail_errno(ENETDOWN, "cannot add the route");
          if (!vm_.has_route_to_gateway(route))
            return fail_errno(ENETUNREACH, "cannot add the route");
          for (const auto& other : vm_.state.routes) {
            const bool same = other.destination == route.destination &&
                              other.table == route.table && other.metric == route.metric;
            if (same) return fail_errno(EEXIST, "cannot add the route");
          }
          vm_.state.routes.push_back(route);
          return {};
        });
  }

 private:
  Result<> on(int index,
              const std::string& what,
              const std::function<Result<>(os::Link&)>& effect) {
    const auto found = vm_.state.links.find(index);
    if (found == vm_.state.links.end()) return fail_errno(ENODEV, "no such interface");
    return vm_.act(
        "ip " + found->second.name + " " + what, false, [&] { return effect(found->second); });
  }

  FakeVm& vm_;
};

class FakeModules final : public os::Modules {
 public:
  explicit FakeModules(FakeVm& vm) : vm_(vm) {}

  Result<os::ModuleState> state(std::string_view name) const override {
    if (const auto may = vm_.may_read("modules"); !may) return tl::unexpected<Error>(may.error());
    const bool there = vm_.state.modules.count(std::string(name)) != 0;
    return os::ModuleState{there ? Presence::loaded : Presence::available, ""};
  }

  Result<> load(std::string_view name) override {
    return vm_.act(fmt::format("modprobe {}", name), false, [&]() -> Result<> {
      vm_.state.modules.emplace(name);
      return {};
    });
  }

 private:
  FakeVm& vm_;
};

class FakeSockets final : public os::Sockets {
 public:
  explicit FakeSockets(FakeVm& vm) : vm_(vm) {}

  Result<std::vector<os::TcpSocket>> tcp() const override { return vm_.sockets; }

  Result<std::vector<std::uint64_t>> bound_to(int interface) const override {
    const auto found = vm_.bound_sockets.find(interface);
    return found == vm_.bound_sockets.end() ? std::vector<std::uint64_t>{} : found->second;
  }

 private:
  FakeVm& vm_;
};

class FakeClock final : public setup::Clock {
 public:
  explicit FakeClock(FakeVm& vm) : vm_(vm) {}

  std::chrono::milliseconds now() const override { return vm_.now_; }

  void pause(std::chrono::milliseconds time) override { vm_.pass(time); }

 private:
  FakeVm& vm_;
};

class FakeDurable final : public os::DurableDirectory {
 public:
  explicit FakeDurable(FakeVm& vm) : vm_(vm) {}

  std::string path() const override { return "/var/lib/manactl/journal"; }

  Result<std::vector<std::string>> list() const override {
    if (const auto may = vm_.may_read("journal"); !may) return tl::unexpected<Error>(may.error());
    std::vector<std::string> names;
    for (const auto& [name, text] : vm_.state.journal) names.push_back(name);
    return names;
  }

  Result<std::string> read(std::string_view name) const override {
    const auto may = vm_.may_read("journal entry");
    if (!may) return tl::unexpected<Error>(may.error());
    return vm_.state.journal.at(std::string(name));
  }

  Result<> replace(std::string_view name, std::string_view text) override {
    return vm_.act("journal open", true, [&]() -> Result<> {
      vm_.state.journal[std::string(name)] = text;
      return {};
    });
  }

  Result<> append(std::string_view name, std::string_view text) override {
    return vm_.act("journal append", true, [&]() -> Result<> {
      vm_.state.journal.at(std::string(name)) += text;
      return {};
    });
  }

  Result<> remove(std::string_view name) override {
    return vm_.act("journal close", false, [&]() -> Result<> {
      vm_.state.journal.erase(std::string(name));
      return {};
    });
  }

 private:
  FakeVm& vm_;
};

struct FakeVm::Parts {
  explicit Parts(FakeVm& vm)
      : captured(system_of("healthy-two-nics")),
        files(vm),
        links(vm),
        modules(vm),
        clock(vm),
        sockets(vm),
        durable(vm),
        devices(os::open_tree_devices(files)),
        journal(durable),
        lock(std::filesystem::temp_directory_path() /
             fmt::format("manactl-fake-{}-{}/lock", getpid(), static_cast<void*>(&vm))) {}

  os::System system() {
    const auto other = captured->system();
    return {files,
            links,
            other.ethtool,
            other.rdma,
            other.verbs,
            *devices,
            modules,
            other.process,
            sockets,
            other.kernel_log};
  }

  std::unique_ptr<host::CapturedSystem> captured;
  FakeFiles files;
  FakeLinks links;
  FakeModules modules;
  FakeClock clock;
  FakeSockets sockets;
  FakeDurable durable;
  std::unique_ptr<os::Devices> devices;
  setup::Journal journal;
  std::string lock;
};

}  // namespace manactl::test
