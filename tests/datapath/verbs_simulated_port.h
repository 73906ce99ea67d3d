// SPDX-License-Identifier: MIT
//
// A port of the software adapter, linked into the test, with a cable that records frames.

#pragma once

#include <cstdlib>
#include <mutex>
#include <vector>

#include "adapter/launch/launch.h"
#include "adapter/shim/simulator.h"
#include "datapath/traffic/frame.h"
#include "datapath/verbs/context.h"
#include "datapath/verbs/receive_queue.h"
#include "datapath/verbs/send_queue.h"

namespace manactl::datapath::verbs {

using Bytes = std::vector<std::uint8_t>;

enum class Doorbells { stores, calls };

// The adapter's functions, which replace those of libibverbs and libmana.
Library adapter_library(Doorbells doorbells = Doorbells::stores);

// Records the frames that the port sends. A looped cable also returns them to the port.
class Cable final : public adapter::Backend {
 public:
  explicit Cable(adapter::Ingress* peer) : peer_(peer) {}

  bool reads_frames() const override { return true; }

  void transmit(std::span<const adapter::Frame> frames) override;

  adapter::PollResult poll(std::size_t /*budget*/) override { return {}; }

  // The frames recorded since the last call.
  std::vector<Bytes> take_frames();

 private:
  adapter::Ingress* peer_;  // null if frames do not return
  std::mutex mutex_;
  std::vector<Bytes> frames_;
};

// Sets up the software adapter of this process. Create at most one, before any call of the adapter.
class SimulatedPort {
 public:
  enum class Wiring { cable, looped_cable, as_configured };

  explicit SimulatedPort(const std::string& setup = "engine=inline", Wiring wiring = Wiring::cable);

  static adapter::Adapter& adapter() { return adapter::Simulator::get().adapter(); }

  // Not available with Wiring::as_configured.
  Cable& cable() { return *cable_; }

  const adapter::PortCounters& counters() const { return (*counters_).port[0]; }

  // Opens the first port without reading sysfs.
  Result<std::unique_ptr<Context>> open(Doorbells doorbells = Doorbells::stores) const;

  // Describes the contract violations that the checker found.
  std::vector<std::string> violations() const;

 private:
  adapter::SharedCounters counters_;
  Cable* cable_ = nullptr;
};

}  // namespace manactl::datapath::verbs
