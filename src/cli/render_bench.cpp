// SPDX-License-Identifier: MIT

#include "cli/render_bench.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using datapath::Sample;
using Json = nlohmann::ordered_json;

constexpr double kMillion = 1e6;
constexpr double kBillion = 1e9;
constexpr int kBitsPerByte = 8;

double mpps(const Sample& sample) {
  return sample.seconds > 0 ? static_cast<double>(sample.packets) / sample.seconds / kMillion : 0;
}

double gbits(const Sample& sample) {
  if (sample.seconds <= 0) return 0;
  return static_cast<double>(sample.bytes) * kBitsPerByte / sample.seconds / kBillion;
}

std::string device_of(const BenchResult& result) {
  if (!result.interface.empty()) return printable(result.interface);
  return printable(join(result.plan.vdevs, " "));
}

Json json_of(const Sample& sample) {
  return {{"seconds", sample.seconds},
          {"packets", sample.packets},
          {"bytes", sample.bytes},
          {"missed", sample.missed},
          {"errors", sample.errors},
          {"mpps", mpps(sample)},
          {"gbit_per_second", gbits(sample)}};
}

Json json_of(const std::vector<Sample>& samples) {
  Json array = Json::array();
  for (const auto& sample : samples) array.push_back(json_of(sample));
  return array;
}

Json plan_of(const BenchResult& result) {
  const auto& plan = result.plan;
  Json json;
  json["mode"] = name_of(plan.mode);
  json["interface"] = result.interface.empty() ? Json(nullptr) : Json(printable(result.interface));
  json["vdevs"] = plan.vdevs;
  json["pci"] = plan.pci ? Json(plan.pci->str()) : Json(nullptr);
  json["mac"] = plan.mac ? Json(plan.mac->str()) : Json(nullptr);
  json["queues"] = plan.queues;
  json["frame_bytes"] = plan.frame_bytes;
  json["burst"] = plan.burst;
  json["descriptors"] = plan.descriptors;
  json["seconds"] = plan.seconds;
  json["interval_seconds"] = plan.interval_seconds;
  json["warmup_seconds"] = plan.warmup_seconds;
  json["cpus"] = plan.cpus.str();
  json["hugepages"] = plan.hugepages;
  return json;
}

Json json_of(const datapath::Summary& summary) {
  const auto& rate = summary.rate;
  Json json;
  json["unit"] = "packets/s";
  json["intervals"] = rate.count;
  json["left_out"] = summary.left_out;
  json["median"] = rate.median;
  json["confidence_95"] =
      rate.confidence ? Json({rate.confidence->low, rate.confidence->high}) : Json(nullptr);
  json["variation"] = rate.variation;
  json["noisy"] = summary.noisy();
  json["reasons"] = summary.why;
  return json;
}

// "14.210 Mpps", and where there are intervals enough, how sure that is.
std::string rate_of(const BenchResult& result) {
  const auto& rate = result.summary.rate;
  constexpr std::size_t kSeries = 3;  // fewer intervals than these have no middle worth the name
  if (rate.count < kSeries) return fmt::format("{:.3f} Mpps", mpps(result.report.total));
  auto text =
      fmt::format("{:.3f} Mpps, the median of {} intervals", rate.median / kMillion, rate.count);
  if (rate.confidence) {
    text += fmt::format(" (95 %: {:.3f} to {:.3f})",
                        rate.confidence->low / kMillion,
                        rate.confidence->high / kMillion);
  }
  return text;
}

void row(Screen& screen, std::string_view label, const std::string& value) {
  screen.stream() << fmt::format("  {:<20}", label) << value << '\n';
}

}  // namespace

std::string progress_line(double elapsed, const Sample& sample) {
  return fmt::format(
      "{:8.1f} s {:10.3f} Mpps {:9.3f} Gbit/s", elapsed, mpps(sample), gbits(sample));
}

void text(Screen& screen, const BenchResult& result, int verbosity) {
  const auto& report = result.report;
  const auto& plan = result.plan;
  const auto title = fmt::format("{} on {} ({}): {} {}, {}-byte frames, {:.1f} s",
                                 name_of(plan.mode),
                                 device_of(result),
                                 report.driver,
                                 plan.queues,
                                 plan.queues == 1 ? "queue" : "queues",
                                 plan.frame_bytes,
                                 report.total.seconds);
  for (const auto& line : wrap_lines(title, screen.width())) {
    screen.stream() << screen.paint(Colour::bold, line) << '\n';
  }
  row(screen, "rate", rate_of(result));
  row(screen, "throughput", fmt::format("{:.3f} Gbit/s", gbits(report.total)));
  if (report.cycles_per_packet > 0) {
    row(screen, "cycles per packet", fmt::format("{:.1f}", report.cycles_per_packet));
  }
  row(screen, "packets", fmt::format("{}", report.total.packets));
  row(screen, "missed", fmt::format("{}", report.total.missed));
  row(screen, "errors", fmt::format("{}", report.total.errors));
  if (verbosity > 0) {
    for (std::size_t i = 0; i < report.queues.size(); ++i) {
      const auto& queue = report.queues[i];
      row(screen,
          fmt::format("queue {}", i),
          fmt::format("{:.3f} Mpps, {} missed", mpps(queue), queue.missed));
    }
    row(screen, "DPDK", report.version);
    row(screen, "EAL arguments", printable(join(report.eal_arguments, " "), 2000));
  }
  for (const auto& reason : result.summary.why) {
    screen.stream() << wrap("Noisy: " + reason, screen.width(), 2) << '\n';
  }
  for (const auto& note : report.notes) {
    screen.stream() << wrap("Note: " + printable(note), screen.width(), 2) << '\n';
  }
  if (report.interrupted) screen.stream() << "  Stopped before its time.\n";
}

void json(Screen& screen, const BenchResult& result) {
  const auto& report = result.report;
  Json document;
  document["schema"] = "manactl.bench/1";
  document["manactl"] = version();
  document["exit"] = static_cast<int>(result.exit);
  document["engine"] = {{"name", report.engine},
                        {"version", report.version},
                        {"driver", report.driver},
                        {"template_mode", report.template_mode}};
  document["plan"] = plan_of(result);
  document["interrupted"] = report.interrupted;
  document["total"] = json_of(report.total);
  document["statistics"] = json_of(result.summary);
  document["cycles_per_packet"] =
      report.cycles_per_packet > 0 ? Json(report.cycles_per_packet) : Json(nullptr);
  document["queues"] = json_of(report.queues);
  document["samples"] = json_of(report.samples);
  document["eal_arguments"] = report.eal_arguments;
  document["notes"] = report.notes;
  screen.stream() << document.dump(2) << '\n';
}

void drivers_text(Screen& screen, const datapath::EngineInfo& engine) {
  for (const auto& driver : engine.drivers) screen.stream() << driver << '\n';
}

void drivers_json(Screen& screen, const datapath::EngineInfo& engine) {
  Json document;
  document["schema"] = "manactl.drivers/1";
  document["manactl"] = version();
  document["dpdk"] = {
      {"version", engine.version}, {"linkage", engine.linkage}, {"drivers", engine.drivers}};
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
