// SPDX-License-Identifier: MIT
//
// The result of a measurement. bench prints and saves it; show, compare and merge read it.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "datapath/analysis/path.h"
#include "datapath/analysis/search.h"
#include "datapath/analysis/summary.h"
#include "datapath/bench.h"
#include "report/figures.h"
#include "report/fingerprint.h"

namespace manactl::report {

// How much the workers, other threads and the hypervisor used the machine's CPUs during the run.
struct Interference {
  std::optional<double> load_before, load_after;  // load averages of one minute
  std::optional<double> stolen;                   // share of the CPU time that the hypervisor took
  std::optional<double> preempted;    // share of the workers' time in which other threads ran
  std::optional<double> cpu_seconds;  // CPU time of the workers, in seconds
};

struct BenchResult {
  std::string id;                    // id of the saved result; empty if it is not saved
  std::string label;                 // name that the user gave to the result; may be empty
  std::string tool_version;          // version of the manactl that measured
  std::vector<std::string> command;  // arguments of manactl, such as "bench"; empty: unknown
  std::vector<double> trial_starts;  // start of each trial, in seconds since 1970
  double ended = 0;                  // end of the last trial, in seconds since 1970
  datapath::BenchPlan plan;
  datapath::BenchReport report;
  bool simulated = false;          // measured on the software adapter
  bool synthetic_allowed = false;  // the user accepted the synthetic path before the run
  datapath::PathReport path;
  std::optional<datapath::SearchResult> search;
  datapath::Summary summary;
  Fingerprint machine;
  Interference interference;
  int stop_signal = 0;  // number of the signal that stopped the run early; 0: none
};

// True if the user stopped the run early. The result of a search may lack the stopped trial.
bool is_interrupted(const BenchResult& result);

// True if packets took the synthetic path and the user did not accept that.
bool took_rejected_path(const BenchResult& result);

// Summarizes the rates of the steady intervals of a single trial, or the medians of several trials.
datapath::Summary summarize_trials(datapath::Mode mode,
                                   const std::vector<datapath::Trial>& trials,
                                   const datapath::Disturbance& disturbance);

// Fewer rates have no median that differs from their mean.
inline constexpr std::size_t kMinRates = 3;

// Packets per second: the median of the rates of the steady intervals. nullopt if packets moved,
// but no interval was steady.
std::optional<double> rate_of(const BenchResult& result);

// Returns why rate_of() is empty: "packets flowed in 12 % of the intervals".
std::string why_no_rate(const BenchResult& result);

// True if no packet moved in the direction that the mode measures.
bool moved_nothing(const BenchResult& result);

inline constexpr std::string_view kIncludingStart = "including the start";

// How to measure a rate without the start of the traffic, and one with steady intervals.
inline constexpr std::string_view kMoreIntervals =
    "use a longer --duration or a shorter --interval";

// True if the rate contains the start of the traffic, because no trial has a second interval.
bool includes_start(const BenchResult& result);

// The source of the rate: "the median of 8 intervals", "the mean of 2 trials",
// "1 interval", "including the start". Empty without a steady interval.
std::string basis_of(const BenchResult& result);

// The figure by which results are listed and compared: the rate that a search found for its first
// goal, or else rate_of(). nullopt if there is none.
std::optional<double> figure_of(const BenchResult& result);

// The mean rates of the queues in the steady intervals, in packets per second; empty if no interval
// was steady.
std::vector<double> queue_rates_of(const BenchResult& result);

// True if the workers sent at a requested rate or at those of a search. Then they also polled while
// no packet was due, and their CPU time and instructions include that.
bool was_paced(const BenchResult& result);

// Costs of the packets in all trials. Without instructions if the run was paced.
Costs costs_of(const BenchResult& result);

// CPU time of the workers per packet, in nanoseconds; nullopt if it is unknown, if the run was
// paced, or if there are no packets.
std::optional<double> cpu_time_of(const BenchResult& result);

// These functions return sums over all trials.
datapath::Sample total_of(const datapath::BenchReport& report);
std::vector<datapath::Sample> queues_of(const datapath::BenchReport& report);
std::optional<datapath::Histogram> latency_of(const datapath::BenchReport& report);

// "tx on eth1", "simulated: tx on the software adapter"
std::string headline_of(const BenchResult& result);

// "eth1", "net_null0 net_null1"
std::string device_of(const datapath::BenchPlan& plan);

// "net_null", "net_netvsc over net_mana"
std::string drivers_of(const datapath::BenchReport& report);

// Names and values, in display order.
using Rows = std::vector<std::pair<std::string, std::string>>;

// The addresses in the packets that the mode generates; empty if the ports use different addresses.
std::optional<Ipv4Address> source_ip_of(const datapath::BenchPlan& plan);
std::optional<Ipv4Address> peer_ip_of(const datapath::BenchPlan& plan);

// The label of a field of configuration_of() or machine_of(): "frame size in bytes" for
// "frame_bytes".
std::string_view label_of(std::string_view field);

// Returns the settings that must be equal in compared results: "queues", "8".
Rows configuration_of(const BenchResult& result);

// The machine and software versions; "-" if unknown. They may differ in compared results.
Rows machine_of(const BenchResult& result);

// How remarks_on() shows the removals and returns of devices: each in a line of its own, or all of
// a device in a trial in one line.
enum class EventLines : std::uint8_t { all, one_per_device };

// Reasons to doubt the rate, most important first: removed devices, noise.
std::vector<std::string> warnings_on(const BenchResult& result);

// The notes of all trials, and then those of the engine; each once, even if trials repeat it.
std::vector<std::string> notes_on(const BenchResult& result);

// The warnings and notes, most important first: removed devices, what happened in the trials, such
// as packet loss, noise, and the notes of the engine.
std::vector<std::string> remarks_on(const BenchResult& result, EventLines events);

// "64", "64/570/1518 (28:16:4)"
std::string sizes_of(const datapath::Traffic& traffic);

}  // namespace manactl::report
