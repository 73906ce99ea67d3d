// SPDX-License-Identifier: MIT
//
// What this VM is, gathered once. Every fact is a Result: "could not read" is knowledge too.
// Checks are pure functions of this struct, so nothing here points back into the system.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/presence.h"
#include "base/result.h"

namespace manactl::host {

// ---- hardware -----------------------------------------------------------------------------------

enum class Adapter { mana_vf, mana_pf, mana_pf2, mlx, other };  // 1414:00ba, :00b9, :00c1, 15b3:*

struct PciFunction {
  PciAddress address;
  std::uint16_t vendor = 0, device = 0;
  Adapter adapter = Adapter::other;
  std::string driver;  // empty when unbound
  int numa_node = -1;
  std::string slot;  // sys/bus/pci/slots/<name>: the VF serial that netvsc is told; may be empty
  std::vector<std::string> netdevs;       // of every port
  std::vector<std::string> rdma_devices;  // "mana_0", "manae_0"

  bool is_mana() const { return adapter <= Adapter::mana_pf2; }
};

struct Platform {
  bool azure = false;   // the DMI chassis tag of Azure
  bool hyperv = false;  // a VMBus is there
  std::string evidence;
};

// ---- interfaces ---------------------------------------------------------------------------------

struct Netdev {
  int index = 0;
  std::string name;
  std::vector<std::string> alternative_names;
  MacAddress mac;
  std::string driver;    // "mana", "hv_netvsc", "mlx5_core"
  bool up = false;       // IFF_UP
  bool running = false;  // carrier
  unsigned mtu = 0;
  std::optional<int> master;
  std::optional<unsigned> dev_port;  // vPort of a MANA function, from 0
  std::optional<PciAddress> pci;
  std::optional<VmbusId> vmbus;
  std::vector<std::string> addresses;  // "10.0.0.4/24"
  std::uint64_t rx_packets = 0, tx_packets = 0;
};

// Packets that the kernel moved over the VF, of all that the synthetic NIC saw since boot.
struct PathCounters {
  std::uint64_t vf_rx = 0, vf_tx = 0;  // ethtool -S vf_rx_packets, vf_tx_packets
  std::uint64_t rx = 0, tx = 0;
};

// Whether network managers leave the VF alone, and the file that says so.
struct Management {
  bool unmanaged = false;
  std::string evidence;
};

// One Azure NIC: the synthetic interface, its VF, or the uio device that took its place.
struct Nic {
  std::optional<Netdev> synthetic;
  std::optional<Netdev> vf;
  std::optional<VmbusId> vmbus;  // of the synthetic channel, also when it is prepared
  std::string vmbus_driver;      // "hv_netvsc", "uio_hv_generic", empty when unbound
  std::string uio;               // "uio0" when prepared
  std::string paired_by;  // "master", "MAC address", "MAC address in the VMBus id", "the only VF
                          // left"; empty without a pair
  std::vector<std::string> carries;  // "SSH session from 10.1.0.9", "default route"
  Result<PathCounters> counters = fail(Errc::unsupported, "no synthetic interface");
  Result<Management> management = fail(Errc::unsupported, "no VF");

  bool is_direct() const { return !synthetic && !vmbus && vf; }  // MANA without a synthetic NIC

  bool is_prepared() const { return vmbus_driver == "uio_hv_generic"; }

  // The name users know it by: the synthetic one, else the VF, else the VMBus id.
  std::string name() const;
};

// ---- kernel and RDMA ----------------------------------------------------------------------------

struct Module {
  std::string name;
  Result<Presence> presence;
  std::string evidence;
};

struct Kernel {
  std::string release;       // "6.8.0-1062-azure"
  std::string machine;       // "x86_64"
  std::string distribution;  // ID of os-release: "ubuntu"
};

struct RdmaDevice {
  std::string name;
  std::optional<PciAddress> pci;
  unsigned ports = 0;
  std::string uverbs;                      // "uverbs0"; empty without a character device
  std::optional<std::uint32_t> driver_id;  // what the kernel tells libibverbs
  std::optional<std::uint64_t> abi;
  std::string error;  // why uverbs or driver_id are not known

  // Belongs to a MANA function, or is named as mana_ib names its devices.
  bool mana = false;
};

struct UverbsNode {
  std::string path;  // "dev/infiniband/uverbs0"
  unsigned mode = 0, uid = 0, gid = 0;
  bool usable = false;  // readable and writable by this process
};

struct Provider {
  std::string device;   // "mana_0"
  std::string library;  // "libmana.so.1", empty when it could not be told
  std::string error;
};

struct Rdma {
  Result<std::vector<RdmaDevice>> devices;
  Result<std::vector<UverbsNode>> nodes;
  Result<std::optional<std::int64_t>> btf_mana;  // RDMA_DRIVER_MANA of the running kernel's BTF
  Result<std::vector<Provider>> providers;       // what libibverbs chose
  Result<std::optional<Release>> rdma_core;      // from the name of libibverbs.so.1's file
  Result<bool> mana_provider;                    // libmana.so.1 is installed
};

struct Limits {
  unsigned uid = 0;
  bool net_admin = false, net_raw = false, ipc_lock = false;
  std::uint64_t memlock_soft = 0, memlock_hard = 0;  // bytes; UINT64_MAX is unlimited
};

// ---- DPDK ---------------------------------------------------------------------------------------

// The DPDK inside this binary. Filled in by cli, which asks datapath: no EAL is started.
struct EmbeddedDpdk {
  std::string version;               // "22.11.11"; empty when DPDK is not built in
  std::vector<std::string> drivers;  // "net_null", "net_mana", "bus_vmbus"
  std::string linkage;               // "static", "shared", "off"
};

struct SystemDpdk {
  std::string library;           // path of librte_eal, below the root
  std::string version;           // "22.11.11" or, from the ABI alone, "22.11 to 23.07"
  std::string plugin_directory;  // empty when there is none
  bool net_mana = false, net_netvsc = false;
};

// ---- memory -------------------------------------------------------------------------------------

struct HugepagePool {
  int node = 0;
  std::uint64_t page_kib = 2048;
  std::uint64_t total = 0, free = 0;  // pages
};

struct HugepageMount {
  std::string path;
  std::uint64_t page_kib = 0;  // 0: the kernel's default size
};

struct Memory {
  Result<std::vector<HugepagePool>> pools;  // one per node and size
  Result<std::vector<HugepageMount>> mounts;
  std::uint64_t default_page_kib = 0;  // Hugepagesize of /proc/meminfo; 0 when unknown
};

// -------------------------------------------------------------------------------------------------

struct Facts {
  Result<Kernel> kernel;
  Result<Platform> platform;
  Result<std::vector<PciFunction>> functions;  // MANA and mlx, by address
  Result<std::vector<Nic>> nics;               // Azure NICs, by synthetic name, then VF name
  Result<> carriers;  // why Nic::carries may miss something: routes or sockets could not be read
  std::vector<std::string> interfaces;  // every name and alternative name in the namespace
  std::vector<Module> modules;  // mana, mana_ib, ib_uverbs, hv_netvsc, uio_hv_generic, mlx5_core
  Rdma rdma;
  Result<Limits> limits;
  Result<CpuList> cpus;  // that this process may run on
  EmbeddedDpdk embedded;
  Result<std::vector<SystemDpdk>> dpdk;  // installed versions; empty when there is none
  Memory memory;

  bool has_mana() const;

  // The NIC that has this name, alternative name or VF name; nothing when no NIC has.
  const Nic* find_nic(const std::string& interface) const;
};

}  // namespace manactl::host
