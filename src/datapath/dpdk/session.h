// SPDX-License-Identifier: MIT
//
// Open ports with their pools, lanes and workers, ready for trials.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "datapath/bench.h"
#include "datapath/dpdk/crew.h"
#include "datapath/dpdk/eal.h"
#include "datapath/dpdk/pool.h"
#include "datapath/dpdk/port.h"
#include "datapath/dpdk/ticks.h"
#include "datapath/plan.h"

namespace manactl::datapath::dpdk {

class DpdkSession final : public Session {
 public:
  // `plan` is valid, and its CPUs are known.
  static Result<std::unique_ptr<Session>> open(BenchPlan plan);

  const BenchReport& about() const override { return about_; }

  Result<Trial> run(const TrialPlan& plan, std::stop_token stop, const Progress& progress) override;

 private:
  struct PortPools {
    std::vector<Pool> queues;  // finished packets, or what the queue receives into
    Pool ring;                 // of a port that makes packets: what its queues receive into
  };

  explicit DpdkSession(BenchPlan plan) : plan_(std::move(plan)) {}

  Result<> start();
  Result<> start_port(unsigned number);
  void make_lanes();
  Result<> make_packets();
  std::optional<Ipv4Address> own_address(unsigned port) const;
  Flow flow_of(unsigned port, unsigned queue) const;
  void describe();
  Result<> set_pace(const TrialPlan& plan);
  void finish(Trial& trial, std::uint64_t dry);
  std::uint64_t dry_bursts() const;

  BenchPlan plan_;
  BenchReport about_;
  Ticks ticks_;
  // Owners are in the order in which DPDK wants them gone: the ports before their pools.
  std::optional<Eal> eal_;
  std::vector<PortPools> pools_;
  std::vector<Port> ports_;
  Placement placement_;
  std::vector<Lane> lanes_;
  AllRequests requests_;  // of mode rtt
  std::optional<DeviceWatch> watch_;
  std::optional<Crew> crew_;
  // Of the trial, for its requests; another program's trials have other numbers, most likely.
  std::uint16_t run_ = static_cast<std::uint16_t>(rte_rdtsc());
};

}  // namespace manactl::datapath::dpdk
