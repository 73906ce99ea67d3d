// SPDX-License-Identifier: MIT
//
// Whether direct verbs work on a port, as far as a bench would go before its first packet: nothing
// is sent, and nothing stays. Foreign code does the work in a child process.

#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "datapath/bench.h"

namespace manactl {

struct ChildAnswer;

namespace datapath {

// In their order. Each needs those before it.
enum class Stage : std::uint8_t {
  libraries,
  find,
  open,
  query,
  pd,
  parent_domain,
  cq,
  qp,
  rss_qp,
  release
};

inline constexpr std::size_t kStages = static_cast<std::size_t>(Stage::release) + 1;

std::string_view id_of(Stage stage);     // "parent-domain"
std::string_view title_of(Stage stage);  // "parent domain with the port"

enum class Outcome : std::uint8_t { not_tried, ok, failed, crashed, hung };

std::string_view name_of(Outcome outcome);  // "not-tried"

struct ProbeStage {
  Outcome outcome = Outcome::not_tried;
  std::string call;             // the last that was made: "create_qp"
  std::optional<Error> reason;  // of one that failed, crashed, hung, or was left out on purpose
};

struct ProbePlan {
  std::string interface;
  std::optional<Nic> nic;  // absent: `interface` is a port of the software adapter
  std::string keep_off;  // why no QP may be made on the port; empty when nothing speaks against it
  std::chrono::milliseconds patience = std::chrono::seconds(10);  // with one call
};

struct ProbeReport {
  std::string interface, device, slot;  // device and slot are empty until they are found
  std::uint32_t port = 0;               // of the device, from 1
  bool simulated = false;
  std::string version;  // of rdma-core, when it tells
  std::array<ProbeStage, kStages> stages;

  const ProbeStage& at(Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }

  // The first that did not do what it was asked for; nothing when all is well.
  std::optional<Stage> end() const;
};

// An error only when the probe itself could not run: Errc::unsupported when direct verbs are not
// built in, or no child process could be had.
Result<ProbeReport> probe(const ProbePlan& plan);

// Of what the child told, one line for each thing: "at qp create_qp".
ProbeReport read_probe(const ProbePlan& plan, const ChildAnswer& told);

}  // namespace datapath

}  // namespace manactl
