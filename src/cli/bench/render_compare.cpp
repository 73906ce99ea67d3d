// SPDX-License-Identifier: MIT

#include "cli/bench/render_compare.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/bench/figures.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"worse", "same", "better"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Colour colour_of(Verdict verdict) {
  if (verdict == Verdict::worse) return Colour::red;
  return verdict == Verdict::better ? Colour::green : Colour::bold;
}

std::string side(const BenchDocument& document) {
  const auto rate = datapath::estimate(document.rates);
  return fmt::format("{}, {} rates{}: {}",
                     estimate_text(rate),
                     rate.count,
                     document.noisy ? ", noisy" : "",
                     printable(document.path, 200));
}

Json json_of(const BenchDocument& document) {
  const auto rate = datapath::estimate(document.rates);
  Json json;
  json["file"] = printable(document.path, 4000);
  json["intervals"] = rate.count;
  json["median"] = rate.median;
  json["confidence_95"] =
      rate.confidence ? Json({rate.confidence->low, rate.confidence->high}) : Json(nullptr);
  json["noisy"] = document.noisy;
  return json;
}

}  // namespace

void text(Screen& screen, const CompareResult& result) {
  const auto& effect = result.effect;
  screen.stream() << screen.paint(colour_of(result.verdict), std::string(name_of(result.verdict)))
                  << '\n';
  row(screen, "before", side(result.before));
  row(screen, "after", side(result.after));
  row(screen,
      "change",
      fmt::format("{:+.2f} % (95 %: {:+.2f} to {:+.2f}), p = {:.3g}; the threshold is {:g} %",
                  effect.change * kPercent,
                  effect.confidence.low * kPercent,
                  effect.confidence.high * kPercent,
                  effect.p,
                  result.threshold * kPercent));
  for (const auto& [name, before, after] :
       differences(result.before.machine, result.after.machine)) {
    row(screen, "differs", fmt::format("{}: {} before, {} after", name, before, after));
  }
}

void json(Screen& screen, const CompareResult& result) {
  Json document;
  document["schema"] = "manactl.bench-compare/1";
  document["manactl"] = version();
  document["exit"] = static_cast<int>(result.exit);
  document["verdict"] = name_of(result.verdict);
  document["unit"] = "packets/s";
  document["before"] = json_of(result.before);
  document["after"] = json_of(result.after);
  document["change"] = result.effect.change;
  document["confidence_95"] = {result.effect.confidence.low, result.effect.confidence.high};
  document["p"] = result.effect.p;
  document["threshold"] = result.threshold;
  auto configuration = Json::object();
  for (const auto& [name, value] : result.before.configuration) configuration[name] = value;
  document["configuration"] = configuration;
  document["machine_differences"] = Json::array();
  for (auto& [name, before, after] : differences(result.before.machine, result.after.machine)) {
    Json difference;
    difference["name"] = name;
    difference["before"] = before;
    difference["after"] = after;
    document["machine_differences"].push_back(difference);
  }
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
