// SPDX-License-Identifier: MIT
//
// The one door to packets: a plan goes in, a report comes out. No rte_ or ibv_ name may appear
// outside the engines' own folders.

#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "datapath/frame.h"
#include "datapath/trial.h"

namespace manactl::datapath {

// A MANA port that belongs to user space.
struct Nic {
  std::string interface;  // the kernel's name for it, for people
  PciAddress pci;
  MacAddress mac;
  std::optional<VmbusId> vmbus;                  // the synthetic NIC in front of it, for net_netvsc
  std::optional<Ipv4Address> ip = std::nullopt;  // that the kernel gave it: what Azure lets out
  unsigned mtu = 0;                              // 0: not known
};

struct SizeShare {
  std::uint16_t bytes = 64;  // on the wire without preamble, with 4 bytes of FCS
  unsigned share = 1;        // frames of this size in one round of all shares

  bool operator==(const SizeShare&) const = default;
};

// What the packets of a sender look like.
struct Traffic {
  std::vector<SizeShare> sizes = std::vector<SizeShare>(1);
  unsigned flows = 1;  // of each queue, told apart by the UDP source port
  MacAddress destination = kAzurePeer;
  // Absent: the NIC's own, else RFC 2544's network for measurements.
  std::optional<Ipv4Address> source_ip, peer_ip;

  std::uint16_t largest() const;
  double mean_bytes() const;
};

// What to measure and on which devices. Nothing here is checked against the system yet. Every port
// gets the same queues, descriptors and traffic.
struct BenchPlan {
  Mode mode = Mode::tx;
  std::vector<std::string> vdevs;  // EAL --vdev arguments: "net_null0", "7870:00:00.0,mac=..."
  std::vector<Nic> nics;           // ports of one slot become one device argument
  std::uint16_t queues = 1;        // of a port, rx and tx alike: net_mana wants them equal
  std::uint16_t descriptors = 256;
  std::uint16_t burst = 32;
  Traffic traffic;
  TrialPlan trial;
  CpuList cpus;           // that may be used, the first is the main core; empty: open() asks
  CpuList near_cpus;      // on the NUMA node of the NICs: workers run on these first
  bool hugepages = true;  // false: ordinary memory, slower, needs no privilege
};

struct PortReport {
  std::string device;  // "net_null0", "7870:00:00.0"
  std::string driver;  // "net_null"
  std::string lower;   // driver of the VF below a net_netvsc port; empty without one
  MacAddress mac;
  std::uint64_t link_mbps = 0;  // 0: not known
};

struct BenchReport {
  std::string engine;         // "dpdk", "verbs"
  std::string version;        // of DPDK or rdma-core
  std::string template_mode;  // "shared": packets are finished once; "per-packet"
  std::vector<std::string> eal_arguments;
  std::vector<PortReport> ports;
  std::vector<Trial> trials;       // in their order; never empty
  std::vector<std::string> notes;  // "8 queues share 1 CPU: ..."
};

// Open devices with their packets made, ready to run.
class Session {
 public:
  virtual ~Session() = default;

  // Everything of the report but its trials.
  virtual const BenchReport& about() const = 0;

  // Traffic for the trial's time or until stop is asked (then within 100 ms); the devices are
  // drained before the last counters are read. May be called again. An error comes before the
  // first packet; a device that leaves while packets flow is an event of the trial.
  virtual Result<Trial> run(const TrialPlan& trial, std::stop_token stop, const Progress&) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Errc::unsupported, invalid, denied or busy. A process can open once: DPDK's environment cannot
  // be started again.
  virtual Result<std::unique_ptr<Session>> open(const BenchPlan& plan) = 0;
};

// What is built in; asked without starting anything.
struct EngineInfo {
  std::string version;               // of DPDK: "22.11.11"; empty without
  std::string linkage;               // "static", "shared", "off"
  std::vector<std::string> drivers;  // "net_null", "net_af_packet", "bus_vdev"
};

EngineInfo engine_info();

// Errc::unsupported in a build without DPDK. One engine per process.
Result<std::unique_ptr<Engine>> make_engine();

}  // namespace manactl::datapath
