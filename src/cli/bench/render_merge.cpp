// SPDX-License-Identifier: MIT

#include "cli/bench/render_merge.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/bench/figures.h"
#include "cli/json_text.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string side(const BenchResult& result, const Spread& spread) {
  auto text =
      fmt::format("{} in {:.1f} s, {} on {} ({}), {} {}",
                  estimate_text(result.summary.rate),
                  total_of(result.report).seconds,
                  name_of(result.plan.mode),
                  device_of(result.plan),
                  drivers_of(result.report) + ", path " + std::string(name_of(result.path.verdict)),
                  result.plan.queues,
                  result.plan.queues == 1 ? "queue" : "queues");
  if (result.plan.queues > 1) {
    text += fmt::format(" with {:.1f} to {:.1f} % of the packets each",
                        spread.least * kPercent,
                        spread.most * kPercent);
  }
  return text;
}

Json json_of(const Spread& spread) {
  Json json;
  json["least"] = spread.least;
  json["most"] = spread.most;
  json["variation"] = spread.variation;
  return json;
}

Json json_of(const BenchResult& result, datapath::Count datapath::Sample::*direction) {
  const auto total = total_of(result.report);
  const auto& count = total.*direction;
  Json json;
  json["id"] = result.id.empty() ? Json() : Json(safe(result.id));
  json["started"] = utc_text(result.began.front());
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
  json["missed"] = count.missed;
  json["no_buffer"] = count.no_buffer;
  json["errors"] = count.errors;
  json["packets_per_second"] = rate_of(result);
  json["queues"] = Json::array();
  for (const auto& queue : queues_of(result.report)) {
    json["queues"].push_back((queue.*direction).packets);
  }
  return json;
}

}  // namespace

std::string verdict_of(const MergeResult& result) {
  return result.loss ? fmt::format("{:.4f} % lost", *result.loss * kPercent) : "loss not known";
}

std::vector<std::string> remarks_on(const MergeResult& result) {
  std::vector<std::string> remarks;
  if (!result.covered) {
    remarks.emplace_back(
        "the receiver did not run all the time of the sender, so the packets that it did not see "
        "are not known to be lost");
  }
  if (result.received > result.sent) {
    remarks.emplace_back("more was received than was sent: something else sends, too");
  }
  return remarks;
}

void text(Screen& screen, const MergeResult& result) {
  const auto sent = total_of(result.sender.report).tx;
  const auto received = total_of(result.receiver.report).rx;
  const bool bad = result.exit != Exit::ok;
  screen.stream() << screen.paint(bad ? Colour::red : Colour::bold, verdict_of(result)) << '\n';
  row(screen, "sent", side(result.sender, result.sent_by));
  row(screen, "received", side(result.receiver, result.received_by));
  row(screen, "packets", fmt::format("{} sent, {} received", result.sent, result.received));
  row(screen,
      "dropped",
      fmt::format(
          "sender: {} not taken, {} errors; receiver: {} missed, {} without buffer, {} errors",
          sent.missed,
          sent.errors,
          received.missed,
          received.no_buffer,
          received.errors));
  row(screen, "at the same time", fmt::format("{:.1f} s", result.overlap));
  for (const auto& remark : remarks_on(result)) {
    screen.stream() << wrap("Note: " + remark, screen.width(), 2) << '\n';
  }
}

void json(Screen& screen, const MergeResult& result) {
  Json document;
  document["schema"] = "manactl.bench-merge/1";
  document["manactl"] = version();
  document["exit"] = static_cast<int>(result.exit);
  document["loss"] = result.loss ? Json(*result.loss) : Json();
  document["most_loss"] = result.most_loss ? Json(*result.most_loss) : Json();
  document["covered"] = result.covered;
  document["overlap_seconds"] = result.overlap;
  document["sender"] = json_of(result.sender, &datapath::Sample::tx);
  document["sender"]["spread"] = json_of(result.sent_by);
  document["receiver"] = json_of(result.receiver, &datapath::Sample::rx);
  document["receiver"]["spread"] = json_of(result.received_by);
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
