// SPDX-License-Identifier: MIT

#include "report/merge.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "report/figures.h"
#include "report/search_text.h"

namespace manactl::report {
namespace {

using datapath::Count;
using datapath::Sample;
using Json = nlohmann::ordered_json;

Result<> check_modes(datapath::Mode sender, datapath::Mode receiver) {
  if (!datapath::sends(sender)) {
    return fail(
        Errc::invalid,
        fmt::format("the first result is of mode {}, which does not send", name_of(sender)));
  }
  if (!datapath::receives(receiver)) {
    return fail(
        Errc::invalid,
        fmt::format("the second result is of mode {}, which does not receive", name_of(receiver)));
  }
  return {};
}

// Fails if a device is not connected to another machine, because the results then have no packet in
// common.
Result<> check_devices(const BenchResult& result, std::string_view which) {
  constexpr std::string_view kIsolatedDrivers[] = {"net_null", "net_ring"};
  if (result.simulated) {
    return fail(Errc::invalid,
                fmt::format("the {} result is from a simulation, which exchanges no packets with "
                            "another run",
                            which));
  }
  for (const auto& port : result.report.ports) {
    if (std::ranges::find(kIsolatedDrivers, port.driver) == std::end(kIsolatedDrivers)) continue;
    return fail(Errc::invalid,
                fmt::format("the {} result is from {}, which exchanges no packets with another run",
                            which,
                            printable(port.driver)));
  }
  return {};
}

std::optional<double> mean_bytes(const Count& count) {
  if (count.packets == 0) return std::nullopt;
  return static_cast<double>(count.bytes) / static_cast<double>(count.packets);
}

// Compares the sizes of counted packets, not planned sizes, because a receiver accepts every size.
Result<> check_sizes(const Count& sent, const Count& received) {
  constexpr double kTolerance = 0.01;
  const auto ours = mean_bytes(sent);
  const auto theirs = mean_bytes(received);
  if (!ours || !theirs || std::abs(*ours - *theirs) <= *ours * kTolerance) return {};
  return fail(
      Errc::invalid,
      fmt::format(
          "the received packets are not the sent ones: their mean size is {:.1f} bytes, not {:.1f}",
          *theirs,
          *ours));
}

Spread spread_of(const std::vector<Sample>& queues, Count Sample::* direction) {
  Spread spread;
  double sum = 0;
  double squares = 0;
  for (const auto& queue : queues) {
    const auto packets = static_cast<double>((queue.*direction).packets);
    sum += packets;
    squares += packets * packets;
  }
  if (sum == 0) return spread;
  spread.min = 1;
  for (const auto& queue : queues) {
    const auto share = static_cast<double>((queue.*direction).packets) / sum;
    spread.min = std::min(spread.min, share);
    spread.max = std::max(spread.max, share);
  }
  const auto count = static_cast<double>(queues.size());
  const auto mean = sum / count;
  spread.variation = std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean;
  return spread;
}

Json json_of(const datapath::ReportedCount& count) {
  return count ? Json(*count) : Json();
}

Json json_of(const Spread& spread) {
  Json json;
  json["min"] = spread.min;
  json["max"] = spread.max;
  json["variation"] = spread.variation;
  return json;
}

Json json_of(const BenchResult& result, datapath::Count datapath::Sample::* direction) {
  const auto total = total_of(result.report);
  const auto& count = total.*direction;
  Json json;
  json["id"] = result.id.empty() ? Json() : Json(safe(result.id));
  json["started"] = utc_text(result.trial_starts.front());
  json["ended"] = utc_text(result.ended);
  json["mode"] = name_of(result.plan.mode);
  json["device"] = device_of(result.plan);
  json["path"] = name_of(result.path.verdict);
  json["ports"] = Json::array();
  for (const auto& port : result.report.ports) {
    Json row;
    row["device"] = safe(port.device);
    row["driver"] = safe(port.driver);
    row["lower"] = port.lower.empty() ? Json() : Json(safe(port.lower));
    json["ports"].push_back(row);
  }
  json["seconds"] = total.seconds;
  json["packets"] = count.packets;
  json["bytes"] = count.bytes;
  json["missed"] = json_of(count.missed);
  json["no_buffer"] = json_of(count.no_buffer);
  json["errors"] = json_of(count.errors);
  const auto rate = figure_of(result);
  json["packets_per_second"] = rate ? Json(*rate) : Json();
  json["found"] = result.search ? Json(search_text(*result.search)) : Json();
  json["queues"] = Json::array();
  for (const auto& queue : queues_of(result.report)) {
    json["queues"].push_back((queue.*direction).packets);
  }
  return json;
}

}  // namespace

Result<MergeResult> merge(const BenchResult& sender, const BenchResult& receiver) {
  auto good = check_modes(sender.plan.mode, receiver.plan.mode);
  if (good) good = check_devices(sender, "first");
  if (good) good = check_devices(receiver, "second");
  if (!good) return tl::unexpected<Error>(good.error());
  const auto sent = total_of(sender.report).tx;
  const auto received = total_of(receiver.report).rx;
  good = check_sizes(sent, received);
  if (!good) return tl::unexpected<Error>(good.error());
  const auto first = std::max(sender.trial_starts.front(), receiver.trial_starts.front());
  const auto last = std::min(sender.ended, receiver.ended);
  if (first >= last) {
    return fail(
        Errc::invalid,
        fmt::format(
            "the sender and the receiver did not run at the same time: {} to {}, and {} to {}",
            utc_text(sender.trial_starts.front()),
            utc_text(sender.ended),
            utc_text(receiver.trial_starts.front()),
            utc_text(receiver.ended)));
  }
  const bool covered = receiver.trial_starts.front() <= sender.trial_starts.front() &&
                       sender.ended <= receiver.ended;
  MergeResult result{sender,
                     receiver,
                     sent.packets,
                     received.packets,
                     last - first,
                     covered,
                     std::nullopt,
                     spread_of(queues_of(sender.report), &Sample::tx),
                     spread_of(queues_of(receiver.report), &Sample::rx),
                     std::nullopt};
  for (const auto& trial : receiver.report.trials) {
    result.strays += datapath::stray_packets(receiver.plan.mode, trial.intervals);
  }
  const auto excess = received.packets - std::min(received.packets, sent.packets);
  result.strays = std::max(result.strays, result.has_foreign_traffic() ? 0 : excess);
  const bool is_search = sender.search || receiver.search;
  if (result.covered && !is_search && sent.packets > 0 && !result.has_foreign_traffic()) {
    const auto lost = sent.packets - std::min(received.packets, sent.packets);
    result.loss = static_cast<double>(lost) / static_cast<double>(sent.packets);
  }
  return result;
}

std::optional<double> MergeResult::max_possible_loss() const {
  if (!loss) return std::nullopt;
  const auto most = sent - std::min(received, sent) + strays;
  return static_cast<double>(std::min(most, sent)) / static_cast<double>(sent);
}

bool MergeResult::has_foreign_traffic() const {
  const auto seconds = total_of(receiver.report).seconds;
  return static_cast<double>(received) >
         static_cast<double>(sent) + datapath::kMaxStrayRate * seconds;
}

std::string end_text(const BenchResult& result) {
  if (result.search) return search_text(*result.search);
  const auto rate = result.summary.rate.count > 0 ? estimate_text(result.summary.rate)
                                                  : std::string("unknown rate");
  const auto start = includes_start(result) ? fmt::format(", {},", kIncludingStart) : "";
  return fmt::format("{}{} in {:.1f} s", rate, start, total_of(result.report).seconds);
}

std::string loss_of(const MergeResult& result) {
  const auto most = result.max_possible_loss();
  if (!result.loss || !most) return "unknown";
  const auto low = *result.loss * kPercent, high = *most * kPercent;
  // With fewer lost packets than strays, the lower end of the range is chance.
  if (high > 2 * low) return fmt::format("at most {:.2g} %", high);
  const auto from = fmt::format("{:.4f}", low), to = fmt::format("{:.4f}", high);
  return from + (from == to ? " %" : fmt::format(" to {} %", to));
}

std::string verdict_of(const MergeResult& result) {
  const auto text = result.loss ? loss_of(result) + " lost" : "loss unknown";
  if (!result.exceeds_max_loss()) return text;
  const auto limit = fmt::format("the limit of {:g} %", *result.max_loss * kPercent);
  if (!result.loss) return fmt::format("{}, which fails {}", text, limit);
  const bool is_certain = *result.loss > *result.max_loss;
  return fmt::format("{}, which {} {}", text, is_certain ? "exceeds" : "may exceed", limit);
}

std::vector<std::string> remarks_on(const MergeResult& result) {
  std::vector<std::string> remarks;
  if (!result.covered) {
    remarks.emplace_back(
        "the receiver did not run during the whole run of the sender, so that the loss is unknown");
  }
  if (result.sender.search || result.receiver.search) {
    remarks.emplace_back(
        "the result of a search has the packets of only some of its trials, so the loss is "
        "unknown: repeat the run at the found rate (--rate) without --find");
    return remarks;
  }
  if (result.has_foreign_traffic()) {
    remarks.emplace_back(
        "more packets were received than sent, probably from another sender, so the loss is "
        "unknown");
  }
  if (result.strays > 0) {
    remarks.push_back(fmt::format(
        "{} of the received packets are strays, such as ARP: up to as many lost packets are not "
        "counted",
        result.strays));
  }
  return remarks;
}

std::string merge_json(const MergeResult& result, std::string_view tool, int exit) {
  Json document;
  document["schema"] = "manactl.bench-merge/2";
  document["manactl"] = tool;
  document["exit"] = exit;
  document["loss"] = result.loss ? Json(*result.loss) : Json();
  const auto most = result.max_possible_loss();
  document["max_possible_loss"] = most ? Json(*most) : Json();
  document["max_loss"] = result.max_loss ? Json(*result.max_loss) : Json();
  document["covered"] = result.covered;
  document["overlap_seconds"] = result.overlap;
  document["sender"] = json_of(result.sender, &datapath::Sample::tx);
  document["sender"]["spread"] = json_of(result.sent_by);
  document["receiver"] = json_of(result.receiver, &datapath::Sample::rx);
  document["receiver"]["spread"] = json_of(result.received_by);
  return document.dump(2) + '\n';
}

}  // namespace manactl::report
