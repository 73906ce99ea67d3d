// SPDX-License-Identifier: MIT
//
// A result as one HTML file that needs no network and no script. Knows neither JSON nor engines:
// the caller says what there is to show, in plain text, and everything is escaped here.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace manactl::cli {

struct HtmlRow {
  std::string name, value;
};

struct HtmlPoint {
  double seconds = 0;  // since the start of the run, at the end of the interval
  double rate = 0;     // packets per second
};

struct HtmlSpan {
  double from = 0, to = 0;  // seconds since the start of the run
  std::string why;          // "warm-up", "eth1 was removed"
};

struct HtmlBand {
  double low = 0, high = 0;
};

struct HtmlSeries {
  std::string name;  // "sent", "received"
  std::vector<HtmlPoint> points;
};

struct HtmlQueue {
  std::string name;                // "0", "eth1 3"
  double rate = 0;                 // packets per second, of the whole run
  std::vector<std::string> cells;  // under HtmlReport::queue_columns
  std::vector<double> rates;       // interval by interval, in the time of the first series; or none
};

struct HtmlPercentile {
  double percent = 0;  // 0 to 100
  double nanoseconds = 0;
};

struct HtmlTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // the first cell of each is its name
};

// What is empty is left out.
struct HtmlReport {
  std::string title;                       // "tx on eth1"
  std::string subtitle;                    // "8 queues, 64-byte frames, 5 x 10 s"
  std::vector<std::string> warnings;       // on top: noisy, interrupted, on the synthetic path
  std::vector<HtmlRow> figures;            // the few large ones: "rate", "14.210 Mpps"
  std::vector<HtmlSeries> series;          // the median is about the first
  std::optional<double> median;            // packets per second
  std::optional<HtmlBand> confidence;      // 95 %, of the median
  std::vector<HtmlSpan> left_out;          // that the median says nothing of
  std::vector<HtmlSpan> disturbed;         // neighbours with one reason are joined
  std::vector<double> trials;              // where those after the first begin, in seconds
  std::vector<std::string> queue_columns;  // "missed", "cycles per packet"
  std::vector<HtmlQueue> queues;
  std::vector<HtmlPercentile> latency;  // ascending
  std::vector<HtmlTable> tables;        // whatever else: counts, trials of a search, ports
  std::vector<std::string> path;        // which way the packets took: what tells it
  std::vector<HtmlRow> configuration;
  std::vector<HtmlRow> environment;
  std::vector<std::string> notes;
  std::string made_by;  // at the foot: "manactl 0.1.0, 2026-11-21 14:00 UTC"
};

std::string html_page(const HtmlReport& report);

}  // namespace manactl::cli
