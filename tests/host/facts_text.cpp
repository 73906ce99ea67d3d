// SPDX-License-Identifier: MIT

#include "host/facts_text.h"

#include "base/text.h"

namespace manactl::host {
namespace {

class Text {
 public:
  template <class... Values>
  void line(const char* format, const Values&... values) {
    text_ += fmt::format(fmt::runtime(format), values...) + "\n";
  }

  // Prints the value with `print`, or the error.
  template <class T, class Print>
  void result(const char* name, const Result<T>& result, Print print) {
    if (result) {
      print(*result);
    } else {
      line("{}: error {}: {}", name, static_cast<int>(result.error().code), result.error().message);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

template <class T>
std::string shown(const std::optional<T>& value) {
  if (!value) return "-";
  if constexpr (requires { value->str(); }) {
    return value->str();
  } else {
    return fmt::format("{}", *value);
  }
}

void add(Text& text, const Netdev& netdev) {
  text.line("netdev {} {} {} {} {}",
            netdev.index,
            netdev.name,
            join(netdev.alternative_names, ","),
            netdev.mac.str(),
            netdev.driver);
  text.line("  up {} running {} mtu {} master {} port {} pci {} vmbus {} {} rx {} tx {}",
            netdev.up,
            netdev.running,
            netdev.mtu,
            shown(netdev.master),
            shown(netdev.dev_port),
            shown(netdev.pci),
            shown(netdev.vmbus),
            join(netdev.addresses, ","),
            netdev.rx_packets,
            netdev.tx_packets);
}

void add(Text& text, const Nic& nic) {
  text.line("nic {} vmbus {} {} uio {} by {} carries {}",
            nic.name(),
            shown(nic.vmbus),
            nic.vmbus_driver,
            nic.uio,
            nic.paired_by,
            join(nic.carries, ","));
  if (nic.synthetic) add(text, *nic.synthetic);
  if (nic.vf) add(text, *nic.vf);
  text.result("counters", nic.counters, [&](const PathCounters& c) {
    text.line("counters {} {} {} {}", c.vf_rx, c.vf_tx, c.rx, c.tx);
  });
  text.result("management", nic.management, [&](const Management& m) {
    text.line("management {} {}", m.unmanaged, m.evidence);
  });
}

void add(Text& text, const Rdma& rdma) {
  text.result("rdma", rdma.devices, [&](const auto& devices) {
    for (const auto& d : devices) {
      text.line("rdma {} {} ports {} {} id {} abi {} '{}' {}",
                d.name,
                shown(d.pci),
                d.ports,
                d.uverbs,
                shown(d.driver_id),
                shown(d.abi),
                d.error,
                d.mana);
    }
  });
  if (!rdma.libraries) {
    const auto& error = rdma.libraries.error();
    text.line("libraries: error {}: {}", static_cast<int>(error.code), error.message);
  }
  text.result("nodes", rdma.nodes, [&](const auto& nodes) {
    for (const auto& n : nodes) {
      text.line("node {} {:o} {} {} {}", n.path, n.mode, n.uid, n.gid, n.usable);
    }
  });
  text.result("btf", rdma.btf_mana, [&](const auto& value) { text.line("btf {}", shown(value)); });
  text.result("providers", rdma.providers, [&](const auto& providers) {
    for (const auto& p : providers) text.line("provider {} {} {}", p.device, p.library, p.error);
  });
  text.result("rdma-core", rdma.rdma_core, [&](const auto& release) {
    text.line("rdma-core {}", shown(release));
  });
  text.result("libmana", rdma.mana_provider, [&](bool there) { text.line("libmana {}", there); });
}

void add(Text& text, const Memory& memory) {
  text.line("default page {}", memory.default_page_kib);
  text.result("pools", memory.pools, [&](const auto& pools) {
    for (const auto& p : pools) {
      text.line("pool {} {} {} {}", p.node, p.page_kib, p.total, p.free);
    }
  });
  text.result("mounts", memory.mounts, [&](const auto& mounts) {
    for (const auto& m : mounts) text.line("mount {} {}", m.path, m.page_kib);
  });
}

void add_system(Text& text, const Facts& facts) {
  text.result("kernel", facts.kernel, [&](const Kernel& k) {
    text.line("kernel {} {} {} {}", k.release, k.machine, k.distribution, k.page_bytes);
    text.line("debian version {}", k.debian_version);
  });
  text.result("platform", facts.platform, [&](const Platform& p) {
    text.line("platform {} {} {}", p.azure, p.hyperv, p.evidence);
  });
  text.result("functions", facts.functions, [&](const auto& functions) {
    for (const auto& f : functions) {
      text.line("function {} {:x}:{:x} {} {} node {} slot {} {} {}",
                f.address.str(),
                f.vendor,
                f.device,
                static_cast<int>(f.adapter),
                f.driver,
                f.numa_node,
                f.slot,
                join(f.netdevs, ","),
                join(f.rdma_devices, ","));
    }
  });
  for (const auto& module : facts.modules) {
    text.result(module.name.c_str(), module.presence, [&](Presence presence) {
      text.line("module {} {} {}", module.name, static_cast<int>(presence), module.evidence);
    });
  }
  text.result("limits", facts.limits, [&](const Limits& l) {
    text.line("limits {} {} {} {} {} {}",
              l.uid,
              l.net_admin,
              l.net_raw,
              l.ipc_lock,
              l.memlock_soft,
              l.memlock_hard);
  });
  text.result("cpus", facts.cpus, [&](const CpuList& cpus) { text.line("cpus {}", cpus.str()); });
}

}  // namespace

std::string text_of(const MoveFacts& move) {
  Text text;
  text.result("kernels", move.kernels, [&](const auto& kernels) {
    for (const auto& kernel : kernels) {
      text.line("kernel {} running {} lacks {} unsigned {}",
                kernel.release,
                kernel.running,
                join(kernel.lacks, ","),
                join(kernel.without_signature, ","));
      text.result("initramfs", kernel.initramfs_lacks, [&](const auto& names) {
        text.line("initramfs lacks {}", join(names, ","));
      });
    }
  });
  text.result("next", move.next_kernel, [&](const NextKernel& next) {
    text.line("next {} {}", next.release, next.evidence);
  });
  text.line("option {}", move.network_option);
  text.result("secure boot", move.secure_boot, [&](bool on) { text.line("secure boot {}", on); });
  text.result("management", move.management, [&](const Management& management) {
    text.line("{} {} {}", management.unmanaged, management.races, management.evidence);
  });
  for (const auto* config : {&move.network, &move.programs}) {
    for (const auto& mention : config->mentions) {
      text.line("{}:{} {} {}", mention.path, mention.line, mention.word, mention.program);
    }
    text.line("unread {}", join(config->unread, ","));
  }
  return text.take();
}

std::string text_of(const Facts& facts) {
  Text text;
  add_system(text, facts);
  text.line("interfaces {}", join(facts.interfaces, ","));
  text.result("nics", facts.nics, [&](const auto& nics) {
    for (const auto& nic : nics) add(text, nic);
  });
  text.line("carries complete {}",
            facts.carries_complete ? "yes" : facts.carries_complete.error().message);
  add(text, facts.rdma);
  text.result("dpdk", facts.dpdk, [&](const auto& versions) {
    for (const auto& d : versions) {
      text.line("dpdk {} {} {} {} {}",
                d.library,
                d.version,
                d.plugin_directory,
                d.net_mana,
                d.net_netvsc);
    }
  });
  add(text, facts.memory);
  if (facts.move) text.line("{}", text_of(*facts.move));
  return text.take();
}

}  // namespace manactl::host
