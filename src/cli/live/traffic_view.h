// SPDX-License-Identifier: MIT
//
// The live view of status --watch.

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/context.h"
#include "host/traffic.h"

namespace manactl::cli {

class TrafficView {
 public:
  // Shows only the NIC with this host::traffic_id_of(), or all if it is empty.
  TrafficView(const os::System& system, std::string id)
      : system_(system),
        sampler_(system),
        id_(std::move(id)),
        start_(std::chrono::system_clock::now()) {}

  Result<> start();  // takes the first sample

  // Prints what happened since the last sample: as text, or as an event.
  Exit report(Context& context, bool as_event);

 private:
  Result<host::TrafficSample> sample();
  void read_kernel_log();

  os::System system_;
  host::TrafficSampler sampler_;
  std::string id_;
  std::chrono::system_clock::time_point start_;
  host::TrafficSample last_;
  host::VfHistories histories_;
};

}  // namespace manactl::cli
