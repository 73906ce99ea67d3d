// SPDX-License-Identifier: MIT
//
// A port of the software adapter, linked into the test, with a cable whose frames the test sees.

#pragma once

#include <cstdlib>
#include <mutex>
#include <vector>

#include "adapter/launch.h"
#include "adapter/shim/simulator.h"
#include "datapath/frame.h"
#include "datapath/verbs/context.h"
#include "datapath/verbs/receive_queue.h"
#include "datapath/verbs/send_queue.h"

namespace manactl::datapath::verbs {

using Bytes = std::vector<std::uint8_t>;

enum class Rings { stores, calls };

// The calls as the adapter has them.
Library adapter_library(Rings rings = Rings::stores);

// Keeps what is sent, and hands it to the port itself when asked to.
class Cable final : public adapter::Backend {
 public:
  explicit Cable(adapter::Ingress* back) : back_(back) {}

  bool reads_frames() const override { return true; }

  void transmit(std::span<const adapter::Frame> frames) override;

  adapter::Arrived poll(std::size_t /*budget*/) override { return {}; }

  std::vector<Bytes> taken();

 private:
  adapter::Ingress* back_;
  std::mutex mutex_;
  std::vector<Bytes> frames_;
};

// The adapter of this process; once, before anything else.
class Machine {
 public:
  enum class Ends { cable, looped_cable, as_configured };

  explicit Machine(const std::string& setup = "engine=inline", Ends ends = Ends::cable);

  static adapter::Adapter& adapter() { return adapter::Simulator::get().adapter(); }

  // Not of a port that ends as configured.
  Cable& cable() { return *cable_; }

  const adapter::PortCounters& counters() const { return (*ledger_).port[0]; }

  // The first port, without looking for its files.
  Result<std::unique_ptr<Context>> open(Rings rings = Rings::stores) const;

  // What the checker found, in words; empty when the contract was kept.
  std::vector<std::string> broken() const;

 private:
  adapter::SharedLedger ledger_;
  Cable* cable_ = nullptr;
};

}  // namespace manactl::datapath::verbs
