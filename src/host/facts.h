// SPDX-License-Identifier: MIT
//
// The facts of a VM, gathered once. A fact that could not be read is a Result with the error.
// Facts are values without a handle to the system, so checks are pure functions of them.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/presence.h"
#include "base/result.h"
#include "host/load.h"

namespace manactl::host {

// ---- hardware -----------------------------------------------------------------------------------

// The PCI ids are 1414:00ba, 1414:00b9, 1414:00c1, 15b3:* and any other (mana_id_table in Linux).
enum class Adapter { mana_vf, mana_pf, mana_pf2, mlx, other };

struct PciFunction {
  PciAddress address;
  std::uint16_t vendor = 0, device = 0;
  Adapter adapter = Adapter::other;
  std::string driver;  // empty when unbound
  int numa_node = -1;
  std::string slot;  // name in sys/bus/pci/slots, which hv_netvsc compares with the VF serial
  std::vector<std::string> netdevs;       // one per port
  std::vector<std::string> rdma_devices;  // "mana_0", "manae_0"

  bool is_mana() const { return adapter <= Adapter::mana_pf2; }
};

struct Platform {
  bool azure = false;   // DMI has Azure's chassis asset tag
  bool hyperv = false;  // the VM has a VMBus
  std::string evidence;
};

// ---- interfaces ---------------------------------------------------------------------------------

inline constexpr std::string_view kManaDriver = "mana";
inline constexpr std::string_view kSyntheticDriver = "hv_netvsc";
inline constexpr std::string_view kUserSpaceDriver = "uio_hv_generic";

struct Netdev {
  int index = 0;
  std::string name;
  std::vector<std::string> alternative_names;
  MacAddress mac;
  std::string driver;    // "mana", "hv_netvsc", "mlx5_core"
  bool up = false;       // IFF_UP
  bool running = false;  // IFF_LOWER_UP: has a carrier
  unsigned mtu = 0;
  std::optional<int> master;         // index of the master interface
  std::optional<unsigned> dev_port;  // dev_port in sysfs, from 0; for MANA, the vPort
  std::optional<PciAddress> pci;
  std::optional<VmbusId> vmbus;
  std::vector<std::string> addresses;  // "10.0.0.4/24"
  std::uint64_t rx_packets = 0, tx_packets = 0;

  // The settings that host/tuning.h lists, and their largest values, under the keys of
  // os::Links::settings(). Filled by gather_settings().
  Result<std::map<std::string, std::string>> settings =
      fail(Errc::unsupported, "the settings were not gathered");
  std::map<std::string, std::string> limits = {};
};

// Packets since boot: all packets of the synthetic NIC, and those of them that used the VF.
struct PathCounters {
  std::uint64_t vf_rx = 0, vf_tx = 0;  // ethtool -S vf_rx_packets, vf_tx_packets
  std::uint64_t rx = 0, tx = 0;        // IFLA_STATS64 of the synthetic NIC
};

// Whether all network managers leave the VF unmanaged, and the file that shows it.
struct Management {
  bool unmanaged = false;
  std::string evidence;
  bool races = false;  // unmanaged only if the VF joins its NIC before udev tests a flag
};

// One Azure NIC: the VF and its synthetic interface or, if prepared, its channel and uio device.
struct Nic {
  std::optional<Netdev> synthetic;
  std::optional<Netdev> vf;
  std::optional<VmbusId> vmbus;  // the network channel, with any driver
  std::string vmbus_driver;      // "hv_netvsc", "uio_hv_generic"; empty if unbound
  std::string uio;               // "uio0" when prepared
  std::string paired_by;  // "master", "MAC address", "MAC address in the VMBus id", "the only VF
                          // left"; empty without a pair
  std::vector<std::string> carries;  // "SSH session from 10.1.0.9", "default route"
  std::vector<std::string> uppers;   // why the kernel still needs the NIC: "vlan eth1.7 is stacked
                                     // on it", multipath routes, XDP programs
  Result<PathCounters> counters = fail(Errc::unsupported, "no synthetic interface");
  Result<Management> management = fail(Errc::unsupported, "no VF");

  bool is_direct() const { return !synthetic && !vmbus && vf; }  // MANA without a synthetic NIC

  bool is_prepared() const { return vmbus_driver == kUserSpaceDriver; }

  bool has_mana_vf() const { return vf && vf->driver == kManaDriver; }

  bool has_interface(int index) const;  // of the synthetic interface or the VF

  // The name of the synthetic interface, else of the VF, else the VMBus id.
  std::string name() const;
};

// ---- kernel and RDMA ----------------------------------------------------------------------------

struct Module {
  std::string name;
  Result<Presence> presence;
  std::string evidence;
};

struct Kernel {
  std::string release;                    // "6.8.0-1062-azure"
  std::string machine;                    // "x86_64"
  std::string distribution;               // ID of os-release: "ubuntu"
  std::string distribution_release = {};  // VERSION_ID of os-release: "24.04"
  std::uint64_t page_bytes = 0;           // 4096; on ARM64 also 16384 or 65536; 0 if unknown
  std::string debian_version = {};        // of Debian's package, from /proc/version: "6.1.192-3"

  static constexpr std::uint64_t kSmallPage = 4096;

  bool is_arm64() const { return machine == "aarch64"; }

  bool has_large_pages() const { return page_bytes > kSmallPage; }
};

struct RdmaDevice {
  std::string name;
  std::optional<PciAddress> pci;
  unsigned ports = 0;
  std::string uverbs;                      // "uverbs0"; empty without a character device
  std::optional<std::uint32_t> driver_id;  // RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID
  std::optional<std::uint64_t> abi;
  std::string error;  // why uverbs or driver_id is unknown

  // True if the device belongs to a MANA function or has a name of mana_ib: "mana_*", "manae_*".
  bool mana = false;
};

struct UverbsNode {
  std::string path;  // "dev/infiniband/uverbs0"
  unsigned mode = 0, uid = 0, gid = 0;
  bool usable = false;  // this process may read and write it
};

struct Provider {
  std::string device;   // "mana_0"
  std::string library;  // "libmana.so.1"; empty if unknown
  std::string error;
};

struct Rdma {
  Result<std::vector<RdmaDevice>> devices;
  Result<std::vector<UverbsNode>> nodes;
  Result<std::optional<std::int64_t>> btf_mana;  // RDMA_DRIVER_MANA in the kernel's BTF
  Result<std::vector<Provider>> providers;       // chosen by libibverbs
  Result<std::optional<Release>> rdma_core;      // from the file name of libibverbs.so.1
  Result<bool> mana_provider;                    // libmana.so.1 is installed
  Result<> libraries;                            // why libibverbs and libmana cannot be loaded
};

struct Limits {
  unsigned uid = 0;
  bool net_admin = false, net_raw = false, ipc_lock = false;
  std::uint64_t memlock_soft = 0, memlock_hard = 0;  // bytes; UINT64_MAX is unlimited
};

// ---- DPDK ---------------------------------------------------------------------------------------

struct SystemDpdk {
  std::string library;           // path of librte_eal, below the root
  std::string version;           // "22.11.11" or, if only the ABI is known, "22.11 to 23.07"
  std::string plugin_directory;  // empty if it does not exist
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
  Result<std::vector<HugepagePool>> pools;  // one per NUMA node and page size
  Result<std::vector<HugepageMount>> mounts;
  std::uint64_t default_page_kib = 0;     // Hugepagesize of /proc/meminfo; 0 if unknown
  std::map<int, CpuList> node_cpus = {};  // the CPUs of each NUMA node; not of unreadable ones
};

// ---- the move of an Azure VM to a host with MANA ------------------------------------------------

// A kernel with modules of its own, which the boot loader may start.
struct InstalledKernel {
  std::string release;
  bool running = false;
  std::vector<std::string> lacks = {};  // of kModulesForMana
  std::vector<std::string> without_signature =
      {};  // mana and mana_ib from outside the kernel's tree
  // Those of kInitramfsModules that are neither in its initramfs nor built in. Read only if the
  // initramfs needs the network.
  Result<std::vector<std::string>> initramfs_lacks = {};

  bool has(std::string_view module) const {
    return std::find(lacks.begin(), lacks.end(), module) == lacks.end();
  }
};

// The kernel that the boot loader starts next.
struct NextKernel {
  std::string release;
  std::string evidence;  // "/boot/grub/grubenv has saved_entry=..."
};

// A word in a configuration file that names hardware of the VM's present host.
struct Mention {
  std::string path;  // below the root
  std::size_t line = 0;
  std::string word;          // "mlx5_core", "enP257s2", "0101:00:02.0", "net_failsafe"
  std::string program = {};  // "VPP", "dpdk-testpmd (process 2211)"; empty for the network's files
};

struct ConfigMentions {
  std::vector<Mention> mentions;
  std::vector<std::string> unread;  // files and directories that could not be read
};

struct MoveFacts {
  Result<std::vector<InstalledKernel>> kernels = {};
  Result<NextKernel> next_kernel = fail(Errc::not_found, "the next kernel is unknown");
  std::string network_option = {};     // of the kernel command line; see network_option()
  Result<bool> secure_boot = false;    // the firmware loads only signed kernels, and these only
                                       // signed modules
  Result<Management> management = {};  // of a VF with the driver mana
  ConfigMentions network = {}, programs = {};
};

// ---- what Azure's instance metadata service reports about this VM
// -----------------------------------

// An event that Azure has planned for this VM, or that has begun.
struct ScheduledEvent {
  std::string type;        // "Freeze", "Reboot", "Redeploy", "Preempt", "Terminate"
  std::string not_before;  // "Mon, 19 Sep 2016 18:29:47 GMT"; empty if the event has begun
};

struct InstanceMetadata {
  std::string size;             // "Standard_D4s_v5"
  bool has_legacy_tag = false;  // the tag LegacyVMNVA
  Result<std::vector<ScheduledEvent>> events = {};
};

// -------------------------------------------------------------------------------------------------

struct Facts {
  Result<Kernel> kernel;
  Result<Platform> platform;
  Result<std::vector<PciFunction>> functions;    // MANA and mlx, sorted by address
  std::string devices_note = {};                 // why the functions were listed without libudev
  Result<std::vector<Nic>> nics;                 // Azure NICs in the order of gather_nics()
  Result<> carries_complete;                     // error: Nic::carries may be incomplete
  std::vector<VmbusId> channels_elsewhere = {};  // of hv_netvsc in another network namespace
  std::vector<std::string> interfaces;  // all names and alternative names in the network namespace
  std::vector<Module> modules;  // mana, mana_ib, ib_uverbs, hv_netvsc, uio_hv_generic, mlx5_core
  Rdma rdma;
  Result<Limits> limits;
  Result<CpuList> cpus;                  // CPU affinity of this process
  Result<std::vector<SystemDpdk>> dpdk;  // installed versions of DPDK
  Memory memory;
  std::optional<MoveFacts> move = {};  // of an Azure VM without a MANA function; see MoveForecast
  std::optional<Result<InstanceMetadata>> metadata = {};  // only if somebody asked for it
  std::optional<Load> load = {};                          // only for the checks of speed
  std::optional<Load> earlier_load = {};  // at the beginning of an interval, if there is one

  // Whether the VM has a function of MANA or, if the functions are unknown, a VF.
  bool has_mana() const;

  // Whether the VM is certainly one of Azure, which may move it to a host with MANA.
  bool is_on_azure() const { return platform && platform->azure; }

  // Whether it is certain that the NIC carries none of the administrator's traffic.
  bool carries_nothing(const Nic& nic) const;

  // Returns the Azure NIC with this VMBus id, MAC address or PCI address, or with this name or
  // alternative name of the synthetic interface or VF. Null if there is none, or if several NICs
  // are ports of the function with the PCI address.
  const Nic* find_nic(const std::string& name) const;

  // As find_nic(), but fails with Errc::not_found instead, with Errc::invalid if several NICs have
  // the PCI address, or with the error of `nics`.
  Result<const Nic*> azure_nic(const std::string& name) const;
};

// Why the kernel cannot load the module: "mana_ib is missing from kernel 6.1.0-56-cloud-amd64".
// Empty if it can, or if this is unknown.
std::string module_obstacle(const Facts& facts, std::string_view name);

// The modules that DPDK needs for a MANA NIC. With `vf_only`, no channel is bound to user space.
std::vector<std::string> modules_for_dpdk(bool vf_only);

// Returns the first module_obstacle() of the modules for DPDK and of ib_uverbs, which mana_ib
// needs; empty if there is none.
std::string obstacle_in_modules(const Facts& facts, bool vf_only);

bool has_mana_function(const Result<std::vector<PciFunction>>& functions);

}  // namespace manactl::host
