// SPDX-License-Identifier: MIT
//
// html_pages DIR: writes the pages that pages_test.py and browser_test.py check. Their random
// numbers have a fixed seed. large.html shows a run of one hour with 64 queues.

#include "report/html/pages.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include "report/html/elements.h"
#include "report/html/page.h"
#include "report/sample_results.h"

namespace manactl::report {
namespace {

constexpr double kQueueRate = 1.78e6;

class Numbers {
 public:
  double about(double value, double share) {
    return value * (1 + share * (static_cast<double>(random_()) / kMiddle - 1));
  }

 private:
  static constexpr double kMiddle = 0x7fffffff;
  std::mt19937 random_{7};
};

HtmlReport page_of(unsigned queues, unsigned seconds) {
  Numbers numbers;
  HtmlReport report;
  report.title = "tx on eth1";
  report.subtitle = fmt::format("{} queues, 64-byte frames, {} s", queues, seconds);
  report.series = {{"sent", {}}};
  report.queue_columns = {"packets", "missed", "cycles per packet"};
  for (unsigned queue = 0; queue < queues; ++queue) {
    HtmlQueue row{fmt::format("{}", queue), numbers.about(kQueueRate, 0.04), {}, {}};
    row.cells = {grouped(static_cast<std::uint64_t>(row.rate * seconds)), "0", "21.4"};
    for (unsigned i = 0; i < seconds; ++i) row.rates.push_back(numbers.about(row.rate, 0.03));
    report.queues.push_back(row);
  }
  for (unsigned i = 0; i < seconds; ++i) {
    double sum = 0;
    for (const auto& queue : report.queues) sum += queue.rates[i];
    report.series[0].points.push_back({i + 1.0, sum});
  }
  std::vector<double> rates;
  for (const auto& point : report.series[0].points) rates.push_back(point.rate);
  const auto rate = datapath::estimate(rates);
  report.median = rate.median;
  if (rate.confidence) report.confidence = HtmlBand{rate.confidence->low, rate.confidence->high};
  report.figures = {{"rate", fmt::format("{:.3f} Mpps", *report.median / 1e6)},
                    {"throughput", fmt::format("{:.3f} Gbit/s", *report.median * 512 / 1e9)},
                    {"cycles per packet", "21.4"},
                    {"packet loss", "0 of 854 million"}};
  report.configuration = {
      {"mode", "tx"}, {"queues", fmt::format("{}", queues)}, {"frame", "64 bytes"}};
  report.environment = {{"CPU", "AMD EPYC 7763"}, {"kernel", "6.1.0-28-cloud-amd64"}};
  report.footer = "manactl 0.1.0, 2026-11-21 14:00 UTC";
  return report;
}

// Returns a report whose page has all parts.
HtmlReport full_page() {
  auto report = page_of(8, 60);
  Numbers numbers;
  report.title = "rtt on eth1";
  auto& sent = report.series[0].points;
  HtmlSeries received{"received", {}};
  for (auto& queue : report.queues) {
    for (std::size_t i = 30; i < 33; ++i) queue.rates[i] *= 0.2;
  }
  for (auto& point : sent) {
    if (point.seconds < 4) point.rate *= point.seconds / 4;
    if (point.seconds > 30 && point.seconds < 34) point.rate *= 0.2;
    received.points.push_back({point.seconds, numbers.about(point.rate * 0.97, 0.01)});
  }
  report.series.push_back(received);
  report.excluded = {{0, 3, "warm-up"}};
  report.disturbed = {{30, 33, "7870:00:00.0 was removed and returned"}};
  report.trial_starts = {20, 40};
  report.warnings = {"Noisy: the rate varies by 12.1 % between intervals"};
  for (const double percent :
       {0.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 99.999, 100.0}) {
    report.latency.push_back(
        {percent, 9200 + 2500 * std::pow(10, -std::log10(1.00001 - percent / 100) / 2)});
  }
  report.search.goals = {{"ndr", 0, 7.81e6, "7.81 Mpps"}, {"pdr=0.5%", 0.005, 8.9e6, "8.90 Mpps"}};
  report.search.trials = {{14.2e6, 0.41, true},
                          {7.1e6, 0, true},
                          {10.6e6, 0.062, true},
                          {8.9e6, 0.0042, true},
                          {8e6, 2e-6, false},
                          {8e6, 3e-6, true},
                          {7.81e6, 0, true},
                          {7.85e6, 4e-7, true}};
  report.search_tables = {
      {"Search", {"goal", "result"}, {{"ndr", "7.810 Mpps"}, {"pdr=0.5%", "8.900 Mpps"}}}};
  for (unsigned i = 0; i < 80; ++i) {  // two peaks and a long tail
    const double low = 9200 * std::pow(1.06, i);
    const auto peak = [&](double at, double size) {
      return size * std::exp(-std::pow((i - at) / 5, 2));
    };
    const auto packets = peak(9, 4e7) + peak(30, 1e5) + 3e4 * std::exp(-0.13 * i);
    report.latency_bins.push_back({low, low * 1.06, static_cast<std::uint64_t>(packets)});
  }
  report.tables = {{"Counters",
                    {"direction", "packets", "bytes", "missed", "no buffer", "errors"},
                    {{"sent", grouped(854400000), grouped(54681600000), "12", "0", "0"},
                     {"received", grouped(828768000), grouped(53041152000), "0", "3", "0"}}}};
  report.notes = {"All packets are in the counters of the VF: the synthetic path was not used.",
                  "2 queues share 1 CPU: the CPU may limit the rate."};
  return report;
}

// Equal rates of three digits: the widest labels.
HtmlReport fast_page() {
  constexpr double kRate = 138.04e6;
  auto report = page_of(2, 12);
  for (auto& queue : report.queues) {
    queue.rate = kRate / 2;
    std::ranges::fill(queue.rates, kRate / 2);
  }
  for (auto& point : report.series[0].points) point.rate = kRate;
  report.median = kRate;
  report.confidence = HtmlBand{kRate, kRate};
  report.figures = {{"rate", "138.040 Mpps"}, {"throughput", "170.676 Gbit/s"}, {"lost", "0.31 %"}};
  report.search.goals = {{"ndr", 0, kRate, "138.040 Mpps"},
                         {"pdr=0.001%", 0.00001, kRate, "138.040 Mpps"}};
  report.search.trials = {{kRate, 0, true}, {kRate, 0.062, true}, {kRate, 1e-6, true}};
  return report;
}

HtmlReport hostile_page() {
  auto report = page_of(2, 5);
  const std::string bad =
      "\"><script>document.title='owned'</script><img src=x onerror=alert(1)>&amp;'\x01\xff";
  report.title = report.subtitle = report.footer = bad;
  report.warnings = report.notes = {bad};
  report.figures.push_back({bad, bad});
  report.series[0].name = bad;
  report.disturbed = report.excluded = {{1, 2, bad}};
  report.queue_columns.push_back(bad);
  for (auto& queue : report.queues) {
    queue.name = bad;
    queue.cells.push_back(bad);
  }
  report.tables = report.search_tables = {{bad, {bad, bad}, {{bad, bad}}}};
  report.search.goals = {{bad, 0.5, 1e6, bad}};
  report.search.trials = {{1e6, 1, true}};
  report.configuration = report.environment = {{bad, bad}};
  return report;
}

CompareInput side_of(const std::string& path, double rate, unsigned count) {
  Numbers numbers;
  CompareInput side;
  side.name = path;
  side.host = "vm-one";
  side.started = 1'795'268'822;
  side.configuration = {{"engine.driver", "net_mana"}, {"queues", "8"}, {"frame_bytes", "64"}};
  for (unsigned i = 0; i < count; ++i) side.rates.push_back(numbers.about(rate, 0.02));
  return side;
}

std::string compare_page() {
  const auto before = side_of("monday.json", 14.2e6, 28);
  auto after = side_of("tuesday.json", 13.7e6, 30);
  after.noisy = true;
  auto same = before;
  same.machine = {{"cpu", "AMD EPYC 7763"}, {"kernel", "6.1.0-28-cloud-amd64"}};
  after.machine = {{"cpu", "AMD EPYC 7763"}, {"kernel", "6.8.0-1062-azure"}};
  const auto effect = datapath::compare(before.rates, after.rates);
  return compare_html(CompareResult{same, after, effect->change, effect, 0.02, Verdict::worse},
                      "0.1.0");
}

std::string merge_page() {
  auto sender = test::connected(datapath::Mode::tx, 14.2e6);
  auto receiver = test::connected(datapath::Mode::rx, 13.9e6);
  receiver.trial_starts.front() -= 1.5;
  receiver.ended += 1;
  sender.machine.cpu = receiver.machine.cpu = "AMD EPYC 7763";
  sender.machine.kernel = receiver.machine.kernel = "6.1.0-28-cloud-amd64";
  receiver.path.verdict = datapath::Path::synthetic;
  return merge_html(*merge(sender, receiver), "0.1.0");
}

void write(const std::string& path, const std::string& page) {
  std::ofstream(path, std::ios::binary) << page;
  std::cout << path << ' ' << page.size() << " bytes\n";
}

void write_all(const std::string& folder) {
  constexpr unsigned kHour = 3600;
  write(folder + "/small.html", html_page(page_of(4, 12)));
  write(folder + "/full.html", html_page(full_page()));
  write(folder + "/large.html", html_page(page_of(64, kHour)));
  write(folder + "/fast.html", html_page(fast_page()));
  write(folder + "/hostile.html", html_page(hostile_page()));
  write(folder + "/compare.html", compare_page());
  write(folder + "/merge.html", merge_page());
}

}  // namespace
}  // namespace manactl::report

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  manactl::report::write_all(argv[1]);
}
