// SPDX-License-Identifier: MIT
//
// Rates, shares and times as bench and its relatives print them.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/screen.h"
#include "datapath/bench.h"
#include "datapath/servicing.h"
#include "datapath/statistics.h"
#include "datapath/trial.h"

namespace manactl::cli {

inline constexpr double kMillion = 1e6;
inline constexpr double kPercent = 100;

double per_second(const datapath::Count& count, double seconds);  // packets
double gbits(const datapath::Count& count, double seconds);       // 1e9 bits per second, with FCS

// "14.210 Mpps", "878.0 kpps", "100 pps"
std::string pps_text(double packets_per_second);

// "10.123 Gbit/s", "512.0 Mbit/s" of packets that are as long as the counted ones, with FCS.
std::string throughput_text(double packets_per_second, const datapath::Count& counted);

// "14.210 Mpps (95 %: 14.100 to 14.300)"; the bounds have the unit of the median.
std::string estimate_text(const datapath::Estimate& rate);

// "1.5 s: before 920.0 kpps, meanwhile 0 pps, after 880.0 kpps"
std::string away_text(const datapath::Servicing& servicing);

// "64-byte frames" that are made, "frames up to 1518 bytes" where others make them.
std::string frames_text(const datapath::BenchPlan& plan);

// Bytes with FCS: as planned, or where others make the frames the mean of those that came.
std::optional<double> frame_bytes(const datapath::BenchPlan& plan, const datapath::Sample& total);

// "850 ns", "12.3 us", "4.56 ms"
std::string time_text(double nanoseconds);

// "  rate                14.210 Mpps"
void row(Screen& screen, std::string_view label, const std::string& value);

// What the workers spent; absent: not known.
struct Costs {
  std::optional<double> cycles, instructions;  // per packet that the mode is about
  std::optional<double> empty_polls;           // share of all calls of the device
  std::optional<double> full_bursts;           // share of those that moved something
};

Costs costs_of(datapath::Mode mode, const datapath::Sample& sample);

// "2026-11-21T13:47:02.123Z" and back; nothing for what is no such text.
std::string utc_text(double seconds_since_1970);
std::optional<double> utc_seconds(std::string_view text);

}  // namespace manactl::cli
