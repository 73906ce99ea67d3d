// SPDX-License-Identifier: MIT
//
// A measurement with everything that is told of it: what bench prints and keeps, and what show,
// compare and merge read again.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "datapath/bench.h"
#include "datapath/path.h"
#include "datapath/search.h"
#include "datapath/summary.h"
#include "host/fingerprint.h"

namespace manactl::cli {

// What else happened on the machine meanwhile.
struct Circumstances {
  std::optional<double> load_before, load_after;  // runnable threads, the mean of a minute
  std::optional<double> stolen;                   // share of the CPUs' time, by the hypervisor
  std::optional<double> waited;  // share of the workers' time in which others had their CPUs
};

struct BenchResult {
  std::string id;             // under which it is kept; empty: it is not
  std::string tool;           // version of the manactl that measured
  std::vector<double> began;  // each trial, in seconds since 1970
  double ended = 0;           // the last of them
  datapath::BenchPlan plan;
  datapath::BenchReport report;
  bool simulated = false;  // on the software adapter
  datapath::PathReport path;
  std::optional<datapath::SearchResult> search;
  datapath::Summary summary;
  host::Fingerprint machine;
  Circumstances circumstances;
  Exit exit = Exit::ok;
};

// By the user, before its time. The trial in which a search ended need not be among those it kept.
bool is_interrupted(const BenchResult& result);

// The rate of all trials: that of a single one by its intervals, else by the median of each.
datapath::Summary summarize_trials(datapath::Mode mode,
                                   const std::vector<datapath::Trial>& trials,
                                   const datapath::Disturbance& disturbance);

// Fewer rates than these have no median worth the name.
inline constexpr std::size_t kRates = 3;

// Packets per second: the median of the rates, or where they are too few that of the whole time.
double rate_of(const BenchResult& result);

// Of all trials together.
datapath::Sample total_of(const datapath::BenchReport& report);
std::vector<datapath::Sample> queues_of(const datapath::BenchReport& report);
std::optional<datapath::Histogram> latency_of(const datapath::BenchReport& report);

// "eth1", "net_null0 net_null1"
std::string device_of(const datapath::BenchPlan& plan);

// "net_null", "net_netvsc over net_mana"
std::string drivers_of(const datapath::BenchReport& report);

using Rows = std::vector<std::pair<std::string, std::string>>;

// The addresses of the packets that a mode makes; nothing where ports have several.
std::optional<Ipv4Address> source_ip_of(const datapath::BenchPlan& plan);
std::optional<Ipv4Address> peer_ip_of(const datapath::BenchPlan& plan);

// What two results must have in common to be compared, by name: "queues", "8".
Rows configuration_of(const BenchResult& result);

// "64", "64/570/1518 (28:16:4)"
std::string sizes_of(const datapath::Traffic& traffic);

}  // namespace manactl::cli
