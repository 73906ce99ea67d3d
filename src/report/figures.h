// SPDX-License-Identifier: MIT
//
// Figures computed from results, and their text with units.

#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_words.h"
#include "datapath/analysis/statistics.h"
#include "datapath/analysis/summary.h"
#include "datapath/bench.h"
#include "datapath/measure/trial.h"
#include "report/units.h"

namespace manactl::report {

inline constexpr double kMillion = 1e6;
inline constexpr double kPercent = 100;

double per_second(const datapath::Count& count, double seconds);  // packets per second
double gbits(const datapath::Count& count, double seconds);       // Gbit/s, with FCS

// The significant digits of a rate and of figures that are computed from it: fewer if there are too
// few rates for a confidence interval.
int digits_of(const datapath::Estimate& rate);

// "14.210 Mpps", "878.0 kpps", "100 pps"; with kFewDigits "14.2 Mpps"
std::string pps_text(double packets_per_second, int digits = kFullDigits);

// "14.210 Mpps", with the digits of the rate.
std::string median_text(const datapath::Estimate& rate);

// "10.123 Gbit/s", "512.0 Mbit/s": the rate times the mean packet size of `counted`, with FCS.
std::string throughput_text(double packets_per_second,
                            const datapath::Count& counted,
                            int digits = kFullDigits);

// "14.210 Mpps (95 % CI: 14.100 to 14.300 Mpps)": all figures have the unit of the median.
std::string estimate_text(const datapath::Estimate& rate);

// "1.50 s (rate before: 920.0 kpps, after: 880.0 kpps)": without the rates that are absent.
std::string servicing_text(const datapath::Servicing& servicing);

// "1 queue", "8 queues"
std::string queues_text(unsigned queues);

// Returns "64-byte frames" or "frames of 64/1518 (3:1) bytes" if the mode generates frames, else
// "frames of 512 bytes on average", or "frames up to 1518 bytes" if nothing was received.
std::string frames_text(const datapath::BenchPlan& plan, const datapath::Sample& total);

// Mean frame size with FCS: that of the plan if the mode generates frames, else the received one.
std::optional<double> frame_bytes(const datapath::BenchPlan& plan, const datapath::Sample& total);

// "850 ns", "12.3 µs", "4.56 ms"
std::string time_text(double nanoseconds);

struct Loss {
  std::uint64_t packets = 0;
  double share = 0;  // of the packets that had to arrive
};

// The packets that were sent and did not come back or, if the mode forwards, were received and not
// sent. Empty for a mode that does not know both numbers, without packets, and if others send too,
// so that more packets came back than were sent.
std::optional<Loss> loss_of(datapath::Mode mode, const datapath::Sample& total);

// "2,125,888 packets (50 %)"
std::string loss_text(const Loss& loss);

// "3 missed, 0 errors", "0 errors (not reported: missed)". The names follow the numbers.
struct NamedCount {
  datapath::ReportedCount count;
  std::string_view name;
};

std::string counts_text(std::initializer_list<NamedCount> counts);

// CPU cost per packet and use of polls (calls into the driver); empty fields are unknown.
struct Costs {
  std::optional<double> cycles, instructions;  // per packet in the direction that the mode measures
  std::optional<double> empty_polls;           // share of all polls; only if the mode receives
  std::optional<double> full_bursts;           // share of the polls that were not empty
};

Costs costs_of(datapath::Mode mode, const datapath::Sample& sample);

// utc_text() returns "2026-11-21T13:47:02.123Z". utc_seconds() parses only text of this form.
std::string utc_text(double seconds_since_1970);
std::optional<double> utc_seconds(std::string_view text);

}  // namespace manactl::report
