// SPDX-License-Identifier: MIT
//
// The state of a FakeVm as files below sys/ and proc/, and as text that tests compare.

#include <algorithm>

#include "base/text.h"
#include "os/memory_files.h"
#include "setup/fake_vm.h"
#include "setup/sysfs.h"

namespace manactl::test {

const os::MemoryFiles& FakeVm::tree() const {
  if (!tree_) tree_ = make_tree();
  return *tree_;
}

std::unique_ptr<os::MemoryFiles> FakeVm::make_tree() const {
  auto made = std::make_unique<os::MemoryFiles>();
  auto& tree = *made;
  tree.add_file("proc/sys/kernel/random/boot_id", boot_id + "\n");
  tree.add_file("proc/meminfo", meminfo);
  tree.add_file("proc/mounts", "hugetlbfs /dev/hugepages hugetlbfs rw,pagesize=2M 0 0\n");
  for (const auto& [path, text] : more_files) tree.add_file(path, text);
  for (const auto& [pool, pages] : state.pools) {
    tree.add_file(pool + "/nr_hugepages", std::to_string(pages) + "\n");
    tree.add_file(pool + "/free_hugepages", std::to_string(pages) + "\n");
  }
  std::vector<std::string> drivers = {setup::kNetvsc};
  if (state.modules.count(setup::kUio) != 0) drivers.emplace_back(setup::kUio);
  for (const auto& driver : drivers) {
    for (const char* file : {"bind", "unbind", "new_id", "remove_id"}) {
      tree.add_file(fmt::format("sys/bus/vmbus/drivers/{}/{}", driver, file), "");
    }
  }
  tree.add_file("proc/self/stat", "1 (manactl) R 0\n");
  tree.add_file("proc/sys/net/core/somaxconn", "4096\n");
  if (is_initial_namespace) tree.add_file("proc/sys/net/core/netdev_max_backlog", "1000\n");
  for (const auto& process : processes) {
    const auto own = fmt::format("proc/{}", process.pid);
    tree.add_file(own + "/comm", process.name + "\n");
    tree.add_file(own + "/stat",
                  fmt::format("{} ({}) {} 1{} {} 0 0\n",
                              process.pid,
                              process.name,
                              process.state,
                              join(std::vector<std::string>(18), " 0"),
                              process.started));
    tree.add_link(own + "/exe", "/usr/sbin/" + process.name);
    tree.add_link(own + "/fd/0", "/dev/null");
    if (!process.device.empty()) tree.add_link(own + "/fd/7", process.device);
  }
  const std::string pci = "sys/devices/pci7870:00/7870:00:00.0";
  tree.add_file(pci + "/vendor", "0x1414\n");
  tree.add_file(pci + "/device", "0x00ba\n");
  tree.add_file(pci + "/class", "0x020000\n");
  tree.add_file(pci + "/numa_node", "0\n");
  tree.add_link(pci + "/driver", "../../../bus/pci/drivers/mana");
  tree.add_file(pci + "/infiniband_verbs/uverbs0/dev", "231:192\n");
  tree.add_link("sys/bus/pci/devices/7870:00:00.0", "../../../devices/pci7870:00/7870:00:00.0");
  std::multimap<std::string, const os::Link*> hardware;
  std::map<std::string, const os::Link*> names;
  for (const auto& [index, link] : state.links) {
    names.emplace(link.name, &link);
    if (link.kind.empty()) hardware.emplace(link.mac.str(), &link);
    for (const auto& [key, initial] : kSettings) {
      if (key.starts_with("proc/"))
        tree.add_file(setting_path(key, link.name), setting(link.name, key) + "\n");
    }
  }
  const auto add_attributes = [&](const os::Link& link, const std::string& device) {
    constexpr std::string_view kClass = "sys/class/net/@";
    for (const auto& [key, initial] : kSettings) {
      if (key.starts_with(kClass))
        tree.add_file(device + key.substr(kClass.size()), setting(link.name, key) + "\n");
    }
  };
  for (const auto& channel : state.channels) {
    const std::string path = "sys/devices/VMBUS:00/" + channel.id;
    tree.add_link("sys/bus/vmbus/devices/" + channel.id, "../../../devices/VMBUS:00/" + channel.id);
    tree.add_file(path + "/class_id", fmt::format("{{{}}}\n", setup::kNicClass));
    if (has_override) tree.add_file(path + "/driver_override", channel.overridden + "\n");
    if (!channel.uio.empty()) tree.add_file(path + "/uio/" + channel.uio + "/name", setup::kUio);
    if (!channel.driver.empty()) {
      tree.add_link(path + "/driver", "../../../bus/vmbus/drivers/" + channel.driver);
    }
    const auto [first, last] = hardware.equal_range(channel.mac);
    for (auto with = first; with != last; ++with) {
      const auto& link = *with->second;
      if (channel.driver != setup::kNetvsc || link.name == channel.vf) continue;
      const std::string own = path + "/net/" + link.name;
      tree.add_link(own + "/device", "../../../" + channel.id);
      add_attributes(link, own);
      tree.add_link("sys/class/net/" + link.name,
                    "../../devices/VMBUS:00/" + channel.id + "/net/" + link.name);
    }
    if (const auto found = names.find(channel.vf); found != names.end()) {
      const auto* vf = found->second;
      const std::string own = pci + "/net/" + vf->name;
      tree.add_link(own + "/device", "../../../7870:00:00.0");
      add_attributes(*vf, own);
      tree.add_file(own + "/dev_port", std::to_string(&channel - state.channels.data()));
      tree.add_link("sys/class/net/" + vf->name,
                    "../../devices/pci7870:00/7870:00:00.0/net/" + vf->name);
    }
  }
  return made;
}

os::System FakeVm::system_with(os::Files& files) {
  const auto all = context().system;
  return {files,
          all.links,
          all.ethtool,
          all.rdma,
          all.verbs,
          all.devices,
          all.modules,
          all.process,
          all.sockets,
          all.kernel_log};
}

std::string FakeVm::setting(const std::string& name, const std::string& key) const {
  const auto* found = link(name);
  const auto values = found == nullptr ? state.settings.end() : state.settings.find(found->index);
  if (values != state.settings.end() && values->second.contains(key)) return values->second.at(key);
  return state.defaults.contains(key) ? state.defaults.at(key) : "";
}

std::string FakeVm::dump() const {
  std::vector<std::string> lines;
  const auto name = [&](int index) {
    const auto found = state.links.find(index);
    return found == state.links.end() ? std::string("?") : found->second.name;
  };
  for (const auto& [index, link] : state.links) {
    lines.push_back(fmt::format("link {} flags {:x} mtu {} master {}",
                                link.name,
                                link.flags,
                                link.mtu,
                                link.master ? name(*link.master) : "-"));
  }
  for (const auto& a : state.addresses) {
    lines.push_back(fmt::format(
        "address {} {}/{} {} {}", name(a.index), a.text, a.prefix_length, a.scope, a.label));
  }
  for (const auto& r : state.routes) {
    lines.push_back(fmt::format("route {} {} {} {} {} {} {} {}",
                                name(r.outputs.at(0)),
                                r.destination,
                                r.gateway,
                                r.table,
                                r.metric,
                                r.protocol,
                                r.scope,
                                r.source));
  }
  for (const auto& c : state.channels) {
    lines.push_back(fmt::format(
        "channel {} driver {} override '{}' uio '{}'", c.id, c.driver, c.overridden, c.uio));
  }
  for (const auto& [index, values] : state.settings) {
    for (const auto& [key, value] : values) {
      if (!state.defaults.contains(key) || value != state.defaults.at(key))
        lines.push_back(fmt::format("setting {} {} {}", name(index), key, value));
    }
  }
  for (const auto& id : state.ids) lines.push_back("id " + id);
  for (const auto& [pool, pages] : state.pools)
    lines.push_back(fmt::format("pool {} {}", pool, pages));
  std::sort(lines.begin(), lines.end());
  return join(lines, "\n") + "\n";
}

}  // namespace manactl::test
