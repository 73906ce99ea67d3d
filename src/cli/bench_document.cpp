// SPDX-License-Identifier: MIT

#include "cli/bench_document.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/log_files.h"
#include "datapath/summary.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::json;

// Fewer than four on each side can never differ by more than chance.
constexpr std::size_t kFewest = 4;

std::string text_of(const Json& value) {
  return printable(value.is_string() ? value.get<std::string>() : value.dump(), 80);
}

std::vector<std::pair<std::string, std::string>> configuration_of(const Json& document) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto& engine = document.at("engine");
  for (const auto* key : {"name", "driver", "template_mode"}) {
    rows.emplace_back(fmt::format("engine.{}", key), text_of(engine.at(key)));
  }
  const auto& plan = document.at("plan");
  for (const auto* key : {"mode", "queues", "frame_bytes", "burst", "descriptors", "hugepages"}) {
    rows.emplace_back(key, text_of(plan.at(key)));
  }
  return rows;
}

std::vector<datapath::Interval> intervals_of(const Json& document) {
  std::vector<datapath::Interval> intervals;
  for (const auto& row : document.at("samples")) {
    auto& total = intervals.emplace_back().total;
    total.seconds = row.at("seconds").get<double>();
    total.tx.packets = row.at("packets").get<std::uint64_t>();
  }
  return intervals;
}

Result<BenchDocument> document_of(const Json& json, const std::string& path) {
  BenchDocument document;
  document.path = path;
  try {
    if (json.at("schema") != "manactl.bench/1") {
      return fail(Errc::invalid,
                  fmt::format("'{}' is a '{}', not a result of bench --json",
                              printable(path, 200),
                              text_of(json.at("schema"))));
    }
    document.configuration = configuration_of(json);
    const auto summary = datapath::summarize(datapath::Mode::tx,
                                             intervals_of(json),
                                             json.at("plan").at("warmup_seconds").get<double>(),
                                             {});
    document.rates = summary.rates;
    document.noisy = json.at("statistics").at("noisy").get<bool>();
  } catch (const Json::exception& wrong) {
    return fail(
        Errc::invalid,
        fmt::format("'{}' is no result of bench --json: {}", printable(path, 200), wrong.what()));
  }
  if (document.rates.size() < kFewest) {
    return fail(Errc::invalid,
                fmt::format("'{}' has {} steady intervals, and a comparison needs {}: a longer "
                            "--duration or a shorter --interval",
                            printable(path, 200),
                            document.rates.size(),
                            kFewest));
  }
  return document;
}

}  // namespace

Result<BenchDocument> read_bench_document(const std::string& path) {
  const auto text = read_whole(path, "a result");
  if (!text) return tl::unexpected<Error>(text.error());
  const auto json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) {
    return fail(Errc::invalid, fmt::format("'{}' is not JSON", printable(path, 200)));
  }
  return document_of(json, path);
}

}  // namespace manactl::cli
