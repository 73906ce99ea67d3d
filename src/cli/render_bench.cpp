// SPDX-License-Identifier: MIT

#include "cli/render_bench.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using datapath::Count;
using datapath::Mode;
using datapath::Sample;
using Json = nlohmann::ordered_json;

constexpr double kMillion = 1e6;
constexpr double kBillion = 1e9;
constexpr int kBitsPerByte = 8;

// The direction that the mode is about, with the time it took.
struct Flat {
  double seconds = 0;
  Count count;
};

Flat flat(Mode mode, const Sample& sample) {
  return {sample.seconds, headline(mode, sample)};
}

double mpps(const Flat& flat) {
  return flat.seconds > 0 ? static_cast<double>(flat.count.packets) / flat.seconds / kMillion : 0;
}

double gbits(const Flat& flat) {
  if (flat.seconds <= 0) return 0;
  return static_cast<double>(flat.count.bytes) * kBitsPerByte / flat.seconds / kBillion;
}

double cycles_per_packet(Mode mode, const Sample& total) {
  const auto packets = headline(mode, total).packets;
  return packets == 0 ? 0 : static_cast<double>(total.effort.cycles) / static_cast<double>(packets);
}

std::string device_of(const BenchResult& result) {
  if (result.simulated) return "the software adapter";
  if (!result.interface.empty()) return printable(result.interface);
  return printable(join(result.plan.vdevs, " "));
}

Json json_of(Mode mode, const Sample& sample) {
  const auto one = flat(mode, sample);
  return {{"seconds", one.seconds},
          {"packets", one.count.packets},
          {"bytes", one.count.bytes},
          {"missed", one.count.missed + one.count.no_buffer},
          {"errors", one.count.errors},
          {"mpps", mpps(one)},
          {"gbit_per_second", gbits(one)}};
}

Json plan_of(const BenchResult& result) {
  const auto& plan = result.plan;
  Json json;
  json["mode"] = name_of(plan.mode);
  json["interface"] = result.interface.empty() ? Json(nullptr) : Json(printable(result.interface));
  json["vdevs"] = plan.vdevs;
  json["pci"] = plan.nics.empty() ? Json(nullptr) : Json(plan.nics.front().pci.str());
  json["mac"] = plan.nics.empty() ? Json(nullptr) : Json(plan.nics.front().mac.str());
  json["queues"] = plan.queues;
  json["frame_bytes"] = plan.traffic.largest();
  json["burst"] = plan.burst;
  json["descriptors"] = plan.descriptors;
  json["seconds"] = plan.trial.seconds;
  json["interval_seconds"] = plan.trial.interval_seconds;
  json["warmup_seconds"] = plan.trial.warmup_seconds;
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
  if (rate.count < kSeries)
    return fmt::format("{:.3f} Mpps",
                       mpps(flat(result.plan.mode, result.report.trials.front().total)));
  auto text =
      fmt::format("{:.3f} Mpps, the median of {} intervals", rate.median / kMillion, rate.count);
  if (rate.confidence) {
    text += fmt::format(" (95 %: {:.3f} to {:.3f})",
                        rate.confidence->low / kMillion,
                        rate.confidence->high / kMillion);
  }
  return text;
}

std::vector<std::string> notes_of(const datapath::BenchReport& report) {
  auto notes = report.notes;
  for (const auto& trial : report.trials) {
    notes.insert(notes.end(), trial.notes.begin(), trial.notes.end());
  }
  return notes;
}

void row(Screen& screen, std::string_view label, const std::string& value) {
  screen.stream() << fmt::format("  {:<20}", label) << value << '\n';
}

}  // namespace

std::string progress_line(Mode mode, double elapsed, const Sample& sample) {
  const auto one = flat(mode, sample);
  return fmt::format("{:8.1f} s {:10.3f} Mpps {:9.3f} Gbit/s", elapsed, mpps(one), gbits(one));
}

void text(Screen& screen, const BenchResult& result, int verbosity) {
  const auto& report = result.report;
  const auto& plan = result.plan;
  const auto& trial = report.trials.front();
  const auto total = flat(plan.mode, trial.total);
  const auto title = fmt::format("{} on {} ({}): {} {}, {}-byte frames, {:.1f} s",
                                 name_of(plan.mode),
                                 device_of(result),
                                 report.ports.front().driver,
                                 plan.queues,
                                 plan.queues == 1 ? "queue" : "queues",
                                 plan.traffic.largest(),
                                 total.seconds);
  for (const auto& line : wrap_lines(title, screen.width())) {
    screen.stream() << screen.paint(Colour::bold, line) << '\n';
  }
  row(screen, "rate", rate_of(result));
  row(screen, "throughput", fmt::format("{:.3f} Gbit/s", gbits(total)));
  if (const auto cycles = cycles_per_packet(plan.mode, trial.total); cycles > 0) {
    row(screen, "cycles per packet", fmt::format("{:.1f}", cycles));
  }
  row(screen, "packets", fmt::format("{}", total.count.packets));
  row(screen, "missed", fmt::format("{}", total.count.missed + total.count.no_buffer));
  row(screen, "errors", fmt::format("{}", total.count.errors));
  if (verbosity > 0) {
    for (std::size_t i = 0; i < trial.queues.size(); ++i) {
      const auto queue = flat(plan.mode, trial.queues[i]);
      row(screen,
          fmt::format("queue {}", i),
          fmt::format("{:.3f} Mpps, {} missed", mpps(queue), queue.count.missed));
    }
    if (report.eal_arguments.empty()) {
      if (!report.version.empty()) row(screen, "rdma-core", report.version);
    } else {
      row(screen, "DPDK", report.version);
      row(screen, "EAL arguments", printable(join(report.eal_arguments, " "), 2000));
    }
  }
  for (const auto& reason : result.summary.why) {
    screen.stream() << wrap("Noisy: " + reason, screen.width(), 2) << '\n';
  }
  for (const auto& note : notes_of(report)) {
    screen.stream() << wrap("Note: " + printable(note), screen.width(), 2) << '\n';
  }
  if (report.interrupted()) screen.stream() << "  Stopped before its time.\n";
}

void json(Screen& screen, const BenchResult& result) {
  const auto& report = result.report;
  const auto mode = result.plan.mode;
  const auto& trial = report.trials.front();
  Json document;
  document["schema"] = "manactl.bench/1";
  document["manactl"] = version();
  document["exit"] = static_cast<int>(result.exit);
  document["engine"] = {{"name", report.engine},
                        {"version", report.version},
                        {"driver", report.ports.front().driver},
                        {"template_mode", report.template_mode}};
  document["simulated"] = result.simulated;
  document["plan"] = plan_of(result);
  document["interrupted"] = report.interrupted();
  document["total"] = json_of(mode, trial.total);
  document["statistics"] = json_of(result.summary);
  const auto cycles = cycles_per_packet(mode, trial.total);
  document["cycles_per_packet"] = cycles > 0 ? Json(cycles) : Json(nullptr);
  document["queues"] = Json::array();
  for (const auto& queue : trial.queues) document["queues"].push_back(json_of(mode, queue));
  document["samples"] = Json::array();
  for (const auto& interval : trial.intervals) {
    document["samples"].push_back(json_of(mode, interval.total));
  }
  document["eal_arguments"] = report.eal_arguments;
  document["notes"] = notes_of(report);
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
