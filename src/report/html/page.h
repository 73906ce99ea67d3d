// SPDX-License-Identifier: MIT
//
// The contents of the page of a bench result as plain text and numbers, independent of JSON and
// engines. html_page() escapes all text.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace manactl::report {

using HtmlRows = std::vector<std::pair<std::string, std::string>>;  // names and values

struct HtmlPoint {
  double seconds = 0;  // from the start of the run to the end of the interval
  double rate = 0;     // packets per second; NaN: the interval has no rate
};

struct HtmlSpan {
  double from = 0, to = 0;  // seconds since the start of the run
  std::string reason;       // "warm-up", "a device was removed, absent or returned"
};

struct HtmlBand {
  double low = 0, high = 0;
};

struct HtmlSeries {
  std::string name;  // "sent", "received"
  std::vector<HtmlPoint> points;
};

struct HtmlQueue {
  std::string name;                // "0"
  double rate = 0;                 // packets per second, mean of the steady intervals; NaN: unknown
  std::vector<std::string> cells;  // one for each of HtmlReport::queue_columns
  std::vector<double> rates;       // packets per second in each interval, or NaN; may be empty
};

struct HtmlPercentile {
  double percent = 0;  // 0 to 100
  double nanoseconds = 0;
};

// The number of packets with a latency of `low` to `high` nanoseconds.
struct HtmlBin {
  double low = 0, high = 0;
  std::uint64_t count = 0;
};

struct HtmlSearchTrial {
  double rate = 0;    // packets per second, finite
  double loss = 0;    // share of the sent packets
  bool valid = true;  // false: the trial was repeated
};

struct HtmlGoal {
  std::string name;            // "ndr", "pdr=0.5%"
  double loss = 0;             // share of the sent packets
  std::optional<double> rate;  // highest packets per second that meet the goal
  std::string text;            // the rate with its unit
};

struct HtmlSearch {
  std::vector<HtmlSearchTrial> trials;
  std::vector<HtmlGoal> goals;
};

struct HtmlTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // the first cell names the row
};

// html_page() omits empty fields.
struct HtmlReport {
  std::string title;                       // "tx on eth1"
  std::string subtitle;                    // "8 queues, 64-byte frames, 5 x 10 s"
  std::vector<std::string> warnings;       // shown at the top: noisy, interrupted, synthetic path
  HtmlRows figures;                        // in large type: "rate", "14.210 Mpps"
  std::vector<HtmlSeries> series;          // `median` is the median of the first one
  std::optional<double> median;            // packets per second
  std::optional<HtmlBand> confidence;      // 95 % confidence interval of the median
  std::vector<HtmlSpan> excluded;          // spans that `median` does not include
  std::vector<HtmlSpan> disturbed;         // html_page() merges adjacent spans with the same reason
  std::vector<double> trial_starts;        // seconds; starts of the second and later trials
  std::vector<std::string> queue_columns;  // "missed", "cycles per packet"
  std::vector<HtmlQueue> queues;
  std::vector<HtmlPercentile> latency;  // ascending
  std::vector<HtmlBin> latency_bins;    // ascending and adjacent
  HtmlSearch search;
  std::vector<HtmlTable> search_tables;  // results and trials
  std::vector<HtmlTable> tables;         // counters, ports
  std::vector<std::string> path;         // evidence for the path that the packets took
  HtmlRows configuration;
  HtmlRows environment;
  std::vector<std::string> notes;
  std::string footer;  // "manactl 0.1.0, 2026-11-21T14:00:00.000Z"
};

std::string html_page(const HtmlReport& report);

}  // namespace manactl::report
