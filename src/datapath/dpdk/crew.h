// SPDX-License-Identifier: MIT
//
// The worker threads of a session: EAL's lcores, each with the lanes of its CPU.

#pragma once

#include <vector>

#include "datapath/dpdk/device_watch.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/port.h"
#include "datapath/measure.h"
#include "datapath/plan.h"

namespace manactl::datapath::dpdk {

class Crew final : public Workers {
 public:
  // Lane i belongs to placement.worker_cpus[i]; lanes, ports and the watch outlive the crew.
  Crew(Mode mode,
       const Placement& placement,
       std::vector<Lane>& lanes,
       const std::vector<Port>& ports,
       DeviceWatch& watch);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() override;

  // The workers wait for go(). To be called before each trial.
  Result<> launch();

  void go() override;
  void stop() override;
  Interval read() const override;

  std::vector<Event> take_events() override { return watch_.take(); }

 private:
  Mode mode_;
  std::vector<Lane>& lanes_;
  const std::vector<Port>& ports_;
  DeviceWatch& watch_;
  Team team_;
  std::vector<Worker> workers_;
  unsigned launched_ = 0;
};

}  // namespace manactl::datapath::dpdk
