// SPDX-License-Identifier: MIT

#include "cli/bench/document.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::cli {
namespace {

Rows machine_of(const BenchResult& result) {
  const auto& machine = result.machine;
  constexpr double kKibPerGib = 1U << 20U;
  const auto text = [](const std::string& value) {
    return value.empty() ? std::string("-") : printable(value, 80);
  };
  // Kernels keep a little more or less of the same memory for themselves.
  const auto gib = static_cast<double>(machine.memory_kib) / kKibPerGib;
  Rows rows;
  const auto add = [&](const char* name, std::string value) {
    rows.emplace_back(name, std::move(value));
  };
  add("cpu", text(machine.cpu));
  add("cpus", fmt::format("{}", machine.cpus));
  add("numa_nodes", fmt::format("{}", machine.numa_nodes));
  add("smt", text(machine.smt));
  add("governor", text(machine.governor));
  add("isolated_cpus", text(machine.isolated_cpus));
  add("nohz_full_cpus", text(machine.nohz_full_cpus));
  add("clocksource", text(machine.clocksource));
  add("memory", fmt::format("{:.0f} GiB", gib));
  add("hypervisor", text(machine.hypervisor));
  add("distribution", text(machine.distribution));
  add("kernel", text(machine.kernel));
  add("engine.version", text(result.report.version));
  add("manactl", text(result.tool));
  return rows;
}

}  // namespace

std::vector<Difference> differences(const Rows& before, const Rows& after) {
  std::vector<Difference> found;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const auto& [name, value] = before[i];
    if (value != after[i].second) found.push_back({name, value, after[i].second});
  }
  return found;
}

Result<BenchDocument> comparable(const BenchResult& result, std::string path) {
  // Fewer than four on each side can never differ by more than chance.
  constexpr std::size_t kFewest = 4;
  BenchDocument document{std::move(path),
                         configuration_of(result),
                         result.summary.rates,
                         result.summary.noisy(),
                         machine_of(result)};
  if (document.rates.size() >= kFewest) return document;
  const bool repeated = result.report.trials.size() > 1;
  return fail(
      Errc::invalid,
      fmt::format("'{}' has {} {}, and a comparison needs {}: {}",
                  printable(document.path, 200),
                  document.rates.size(),
                  repeated ? "trials" : "steady intervals",
                  kFewest,
                  repeated ? "repeat more often" : "a longer --duration or a shorter --interval"));
}

}  // namespace manactl::cli
