// SPDX-License-Identifier: MIT

#include "diag/vm.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.h"

namespace manactl::test {

namespace {

host::Netdev netdev(int index, const char* name, const char* mac, const char* driver) {
  host::Netdev device;
  device.index = index;
  device.name = name;
  device.mac = *MacAddress::parse(mac);
  device.driver = driver;
  device.up = device.running = true;
  device.mtu = 1500;
  return device;
}

host::Nic paired(int index, const char* synthetic, const char* vf, const char* mac, unsigned port) {
  host::Nic nic;
  nic.synthetic = netdev(index, synthetic, mac, "hv_netvsc");
  nic.vf = netdev(index + 10, vf, mac, "mana");
  nic.vf->master = index;
  nic.vf->dev_port = port;
  nic.vf->pci = mana_address();
  nic.vmbus = *VmbusId::parse("6045bdc0-bd67-6045-bdc0-bd676045bdc0");
  nic.synthetic->vmbus = nic.vmbus;
  nic.vmbus_driver = "hv_netvsc";
  nic.paired_by = "master";
  nic.counters = host::PathCounters{5000, 4000, 5100, 4010};
  nic.management = host::Management{true, "etc/udev/rules.d/68-azure-sriov-nm-unmanaged.rules"};
  return nic;
}

host::PciFunction function() {
  host::PciFunction mana;
  mana.address = mana_address();
  mana.vendor = 0x1414;
  mana.device = 0x00ba;
  mana.adapter = host::Adapter::mana_vf;
  mana.driver = "mana";
  mana.numa_node = 0;
  mana.slot = "2";
  mana.netdevs = {"enP30832s1", "enP30832s1d1"};
  mana.rdma_devices = {"mana_0"};
  return mana;
}

host::RdmaDevice rdma_device() {
  host::RdmaDevice device;
  device.name = "mana_0";
  device.pci = mana_address();
  device.ports = 2;
  device.uverbs = "uverbs0";
  device.driver_id = 20;
  device.abi = 1;
  device.mana = true;
  return device;
}

}  // namespace

PciAddress mana_address() {
  return {0x7870, 0, 0, 0};
}

host::Facts healthy_vm() {
  host::Facts facts;
  facts.kernel = host::Kernel{"6.14.0-1017-azure", "x86_64", "ubuntu"};
  facts.platform = host::Platform{true, true, "chassis tag"};
  facts.functions = std::vector{function()};
  facts.nics = std::vector{paired(2, "eth0", "enP30832s1", "60:45:bd:c0:bd:66", 0),
                           paired(3, "eth1", "enP30832s1d1", "60:45:bd:c0:bd:67", 1)};
  facts.nics->at(0).carries = {"SSH session from 10.1.0.9", "default route"};
  facts.interfaces = {"lo", "eth0", "eth1", "enP30832s1", "enP30832s1d1"};
  for (const char* name : {"mana", "mana_ib", "ib_uverbs", "hv_netvsc"}) {
    facts.modules.push_back({name, Presence::loaded, std::string("sys/module/") + name});
  }
  facts.modules.push_back({"uio_hv_generic", Presence::available, "lib/modules/x/modules.dep"});
  facts.modules.push_back({"mlx5_core", Presence::available, "lib/modules/x/modules.dep"});
  facts.rdma.devices = std::vector{rdma_device()};
  facts.rdma.nodes = std::vector{host::UverbsNode{"dev/infiniband/uverbs0", 020666, 0, 0, true}};
  facts.rdma.btf_mana = std::optional<std::int64_t>(20);
  facts.rdma.providers = std::vector{host::Provider{"mana_0", "libmana.so.1", ""}};
  facts.rdma.rdma_core = std::optional<Release>(Release{50, 0, 0});
  facts.rdma.mana_provider = true;
  facts.limits = host::Limits{0, true, true, true, 8U << 20, 8U << 20};
  facts.cpus = CpuList{{0, 1, 2, 3}};
  facts.dpdk = std::vector<host::SystemDpdk>{};
  facts.memory.pools = std::vector{host::HugepagePool{0, 2048, 512, 512}};
  facts.memory.mounts = std::vector{host::HugepageMount{"/dev/hugepages", 2048}};
  facts.memory.default_page_kib = 2048;
  return facts;
}

host::Facts prepared_vm() {
  host::Facts facts = healthy_vm();
  host::Nic& moved = nic(facts, 1);
  moved.synthetic.reset();
  moved.vmbus_driver = "uio_hv_generic";
  moved.uio = "uio0";
  moved.paired_by = "MAC address";
  moved.vf->master.reset();
  moved.vf->up = moved.vf->running = false;
  module(facts, "uio_hv_generic").presence = Presence::loaded;
  return facts;
}

host::Facts direct_vm() {
  host::Facts facts = healthy_vm();
  facts.nics->pop_back();
  host::Nic& direct = nic(facts, 0);
  direct.synthetic.reset();
  direct.vmbus.reset();
  direct.vmbus_driver.clear();
  direct.paired_by.clear();
  direct.vf->master.reset();
  return facts;
}

diag::Finding run_check(const host::Facts& facts,
                        std::string_view id,
                        const diag::CheckOptions& options) {
  const diag::Check* check = diag::find_check(id);
  if (check == nullptr) throw std::invalid_argument("no check '" + std::string(id) + "'");
  return diag::run_all({check, 1}, facts, options).outcomes.at(0).finding;
}

host::PciFunction& add_function(host::Facts& facts) {
  host::PciFunction other = facts.functions->at(0);
  other.address.domain = 0x7871;
  other.numa_node = 1;
  other.slot.clear();
  other.netdevs = {"enP30833s1"};
  other.rdma_devices = {"mana_1"};
  facts.functions->push_back(other);
  host::RdmaDevice device = facts.rdma.devices->at(0);
  device.name = "mana_1";
  device.uverbs = "uverbs1";
  device.pci = other.address;
  facts.rdma.devices->push_back(device);
  return facts.functions->back();
}

host::Nic& nic(host::Facts& facts, std::size_t index) {
  return facts.nics->at(index);
}

host::Module& module(host::Facts& facts, std::string_view name) {
  return *std::find_if(facts.modules.begin(), facts.modules.end(), [name](const host::Module& m) {
    return m.name == name;
  });
}

std::string commands_of(const diag::Finding& finding) {
  return finding.remedy ? join(finding.remedy->commands, "\n") : std::string();
}

std::string text_of(const TextCase& one) {
  host::Facts facts = healthy_vm();
  one.change(facts);
  diag::CheckOptions options;
  options.bench_bytes = one.bench_bytes;
  const diag::Finding finding = run_check(facts, one.check, options);
  std::string text = fmt::format("{}: {}", word_of(finding.status), finding.detail);
  for (const auto& line : finding.evidence) text += "\n+ " + line;
  if (!finding.remedy) return text;
  for (const auto& command : finding.remedy->commands) text += "\n$ " + command;
  return text;
}

}  // namespace manactl::test
