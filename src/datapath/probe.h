// SPDX-License-Identifier: MIT
//
// Checks whether direct verbs work on a port: makes the calls that bench makes before its first
// packet, and releases everything again. libibverbs runs in a child process, because it may crash.
// probe() is in verbs/probe.cpp, or in verbs/not_built_in.cpp if direct verbs are not built in; the
// rest is in probe.cpp.

#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_words.h"
#include "datapath/bench.h"

namespace manactl {

struct ChildResult;

namespace datapath {

// The stages in their order; each requires the previous ones.
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

inline constexpr EnumWords<Outcome, 5> kOutcomes = {{
    {Outcome::not_tried, "not-tried"},
    {Outcome::ok, "ok"},
    {Outcome::failed, "failed"},
    {Outcome::crashed, "crashed"},
    {Outcome::hung, "hung"},
}};

constexpr std::string_view name_of(Outcome outcome) {
  return word_of(kOutcomes, outcome);
}

struct ProbeStage {
  Outcome outcome = Outcome::not_tried;
  std::string call;             // the last library call, such as "create_qp"
  std::optional<Error> reason;  // why the stage failed, crashed, hung or was skipped
};

struct ProbePlan {
  std::string interface;
  std::optional<Nic> nic;    // absent: `interface` is a port of the software adapter
  std::string no_qp_reason;  // why the probe creates no QP; empty if it creates QPs
  std::chrono::milliseconds timeout = std::chrono::seconds(10);  // maximum duration of one call
};

struct ProbeReport {
  std::string interface, device, slot;  // device and slot are empty if not found
  std::uint32_t port = 0;               // port of the device, counted from 1
  bool simulated = false;
  std::string version;  // version of rdma-core; empty if unknown
  std::array<ProbeStage, kStages> stages;

  const ProbeStage& at(Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }

  // The first stage that did not succeed; nullopt if all did.
  std::optional<Stage> end() const;
};

// Fails only if the probe could not run: Errc::unsupported without direct verbs, or the error of
// fork().
Result<ProbeReport> probe(const ProbePlan& plan);

// Parses the output of the child: lines of words separated by tabs, such as "at qp create_qp".
ProbeReport read_probe(const ProbePlan& plan, const ChildResult& result);

}  // namespace datapath

}  // namespace manactl
