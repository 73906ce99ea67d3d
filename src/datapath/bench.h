// SPDX-License-Identifier: MIT
//
// The interface of bench's engines: what to measure, what was measured, and the classes that every
// engine implements. No rte_ or ibv_ name may appear outside the engines' own folders.

#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "datapath/measure/trial.h"
#include "datapath/mode.h"
#include "datapath/traffic/frame.h"

namespace manactl::datapath {

// A MANA port that user space drives.
struct Nic {
  std::string interface;  // name of the kernel's interface, for messages
  PciAddress pci;
  MacAddress mac;
  std::optional<VmbusId> vmbus;  // the VF's synthetic NIC; set if net_netvsc drives that NIC
  std::optional<Ipv4Address> ip = std::nullopt;  // Azure drops packets from other addresses
  unsigned mtu = 0;                              // 0: unknown
};

struct SizeShare {
  std::uint16_t bytes = 64;  // on the wire: without preamble, with 4 bytes of FCS
  unsigned share = 1;        // relative number of frames of this size

  bool operator==(const SizeShare&) const = default;
};

// The packets that a sender generates.
struct Traffic {
  std::vector<SizeShare> sizes = std::vector<SizeShare>(1);
  unsigned flows = 1;  // per queue; flows differ by UDP source port
  MacAddress destination = kAzurePeer;
  // Default source: the NIC's address if known. Other defaults: RFC 2544's benchmarking network.
  std::optional<Ipv4Address> source_ip, peer_ip;

  std::uint16_t largest() const;
  double mean_bytes() const;
};

// The devices and traffic of a measurement; validate() checks it. Every port gets the same queues,
// descriptors and traffic.
struct BenchPlan {
  Mode mode = Mode::tx;
  std::vector<std::string> vdevs;  // EAL --vdev arguments: "net_null0", "7870:00:00.0,mac=..."
  std::vector<Nic> nics;           // NICs in one PCI slot share one device argument
  std::uint16_t queues = 1;        // per port, rx and tx alike: net_mana requires equal numbers
  std::uint16_t descriptors = 256;
  std::uint16_t burst = 32;
  Traffic traffic;
  TrialPlan trial;
  CpuList cpus;           // for the main thread and the workers; empty: all CPUs of this process
  CpuList near_cpus;      // CPUs on the NUMA node of the NICs, which workers use first
  bool hugepages = true;  // false: ordinary memory, which is slower and needs no privilege
};

struct PortReport {
  std::string device;  // "net_null0", "7870:00:00.0"
  std::string driver;  // "net_null"
  std::string lower;   // driver of the VF below a net_netvsc port; empty without one
  MacAddress mac;
  std::uint64_t link_mbps = 0;  // 0: unknown
};

struct BenchReport {
  std::string engine;         // EngineRow::name
  std::string version;        // version of DPDK or rdma-core
  std::string template_mode;  // packets are written once ("shared") or per burst ("per-packet")
  std::vector<std::string> eal_arguments;
  std::vector<PortReport> ports;
  std::vector<Trial> trials;       // in the order in which they ran; never empty
  std::vector<std::string> notes;  // sentences such as "8 queues share 1 CPU: ..."
};

// The open devices of a run, with the packets that they will send.
class Session {
 public:
  virtual ~Session() = default;

  // The report without trials.
  virtual const BenchReport& about() const = 0;

  // Runs traffic for the trial's time, or until at most 100 ms after `stop` is requested. Drains
  // the devices before it reads the last counters. May be called again. Fails only before the first
  // packet; the later removal of a device is an event of the trial.
  virtual Result<Trial> run(const TrialPlan& trial, std::stop_token stop, const Progress&) = 0;
};

// The version and drivers of an engine in this build.
struct EngineInfo {
  std::string version;               // "22.11.11"; empty if the engine is not built in or unknown
  std::string linkage;               // "static", "shared", "loaded", "off"
  std::vector<std::string> drivers;  // "net_null", "net_af_packet", "bus_vdev"

  bool has_driver(std::string_view name) const;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Fails with Errc::unsupported, invalid, denied or busy. Works once per process: DPDK's
  // environment cannot be started again.
  virtual Result<std::unique_ptr<Session>> open(const BenchPlan& plan) = 0;
};

}  // namespace manactl::datapath
