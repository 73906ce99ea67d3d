// SPDX-License-Identifier: MIT
//
// The checks of speed that judge the CPUs and the kernel.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/load_period.h"
#include "diag/release_table.h"
#include "diag/remedies.h"

namespace manactl::diag {

namespace {

using host::NicLoad;

// ---- interrupts ---------------------------------------------------------------------------------

std::string rps_of(const NicLoad& load) {
  if (load.rx_queues == 0) return {};
  if (load.rps_queues == 0) return fmt::format("{}: RPS is off", load.name);
  return fmt::format(
      "{}: RPS is on for {} of {} receive queues", load.name, load.rps_queues, load.rx_queues);
}

// "0-3,8" of all CPUs that may receive one of the interrupts.
CpuList cpus_of(const std::vector<const host::QueueInterrupt*>& interrupts) {
  std::set<unsigned> cpus;
  for (const auto* one : interrupts)
    cpus.insert(one->affinity.cpus.begin(), one->affinity.cpus.end());
  return {{cpus.begin(), cpus.end()}};
}

// "CPU 3 received 41 % of 12000 interrupts since boot"
std::string busiest_of(const std::vector<const host::QueueInterrupt*>& interrupts,
                       const LoadPeriod& period) {
  std::map<unsigned, std::uint64_t> sums;
  std::uint64_t all = 0;
  for (const auto* one : interrupts) {
    for (const auto& [cpu, count] : one->counts) {
      const auto increase = period.interrupts(*one, cpu);
      sums[cpu] += increase;
      all += increase;
    }
  }
  if (all == 0) return fmt::format("no interrupt {}", period.text());
  const auto most = std::ranges::max_element(sums, {}, [](const auto& one) { return one.second; });
  return fmt::format("CPU {} received {:.0f} % of {} interrupts {}",
                     most->first,
                     kPercent * ratio(most->second, all),
                     period.with_rate(all),
                     period.text());
}

// mana assigns CPUs when it starts. irqbalance and scripts change them.
std::string spread_command(const PciAddress& function, std::size_t cpus) {
  return fmt::format(
      "n=0; for i in $(grep 'mana_q.*{}' /proc/interrupts | cut -d: -f1); do echo $n > "
      "/proc/irq/$i/smp_affinity_list; n=$(((n + 1) % {})); done",
      function.str(),
      cpus);
}

Finding interrupts(const host::Facts& facts, const CheckOptions& options) {
  if (auto obstacle = obstacle_to_load(facts); !obstacle.empty()) return skipped(obstacle);
  const auto& all = facts.load->interrupts;
  if (!all && all.error().code == Errc::not_found) return skipped("not captured: proc/interrupts");
  if (!all) return unknown(all.error().message);
  const LoadPeriod period(facts);
  std::map<std::string, std::vector<const host::QueueInterrupt*>> functions;
  for (const auto& one : *all) functions[one.function.str()].push_back(&one);
  const auto vm_cpus = all->empty() ? 0 : all->front().counts.size();
  FindingBuilder findings;
  for (const auto& [name, queues] : functions) {
    const auto cpus = cpus_of(queues);
    const auto line = fmt::format("{}: {} queues interrupt {} of {} CPUs ({}); {}",
                                  name,
                                  queues.size(),
                                  cpus.cpus.size(),
                                  vm_cpus,
                                  cpus.str(),
                                  busiest_of(queues, period));
    const bool is_uneven = 2 * cpus.cpus.size() < std::min(queues.size(), vm_cpus);
    if (cpus.cpus.empty()) {
      findings.ok(fmt::format("{}: the CPUs of {} queues were not captured", name, queues.size()),
                  name);
    } else if (is_uneven) {
      findings.warn(line, {spread_command(queues.front()->function, vm_cpus)});
    } else {
      findings.ok(line, name);
    }
  }
  auto finding =
      findings.build("the kernel lists no interrupt of a queue of MANA",
                     "set the CPUs of the interrupts, and let irqbalance or the script that "
                     "changed them keep it so: one CPU cannot serve all queues");
  for (const auto* nic : selected_nics(facts, options)) {
    const auto* load = period.now(*nic);
    auto rps = load == nullptr ? std::string() : rps_of(*load);
    if (!rps.empty() && !finding.evidence.empty()) finding.evidence.push_back(std::move(rps));
  }
  return finding;
}

// ---- softirqs -----------------------------------------------------------------------------------

// A CPU that does nothing else drops packets when their number grows.
constexpr double kBusySoftirq = 0.9;

// "f" for 4 CPUs, "3,ffffffff" for 34: the mask of all CPUs (Documentation/networking/scaling.rst).
std::string mask_of(std::size_t cpus) {
  constexpr std::size_t kWord = 32;
  std::string mask;
  for (; cpus > kWord; cpus -= kWord) mask = ",ffffffff" + mask;
  return fmt::format("{:x}{}", (std::uint64_t{1} << cpus) - 1, mask);
}

// RPS spreads the work of one interrupt over all CPUs.
std::vector<std::string> rps_commands(const host::Facts& facts,
                                      const CheckOptions& options,
                                      std::size_t cpus) {
  std::vector<std::string> commands;
  const LoadPeriod period(facts);
  for (const auto* nic : selected_nics(facts, options)) {
    const auto* load = period.now(*nic);
    if (!nic->vf || load == nullptr || load->rx_queues == 0 || load->rps_queues > 0) continue;
    commands.push_back(
        fmt::format("for q in /sys/class/net/{}/queues/rx-*/rps_cpus; do echo {} > "
                    "$q; done",
                    shell_word(nic->vf->name),
                    mask_of(cpus)));
  }
  return commands;
}

// The queues whose interrupts the CPU received, the most frequent one first.
std::string queues_of(unsigned cpu, const host::Facts& facts, const LoadPeriod& period) {
  std::vector<std::pair<std::uint64_t, std::string>> queues;
  if (!facts.load->interrupts) return {};
  for (const auto& one : *facts.load->interrupts) {
    const auto count = period.interrupts(one, cpu);
    if (count > 0) queues.emplace_back(count, one.name);
  }
  std::ranges::sort(queues, std::greater<>());
  std::vector<std::string> names;
  for (auto& [count, name] : queues) names.push_back(std::move(name));
  return names.empty() ? std::string() : "; interrupts of " + brief(names, ", ");
}

Finding softirq(const host::Facts& facts, const CheckOptions& options) {
  if (auto obstacle = obstacle_to_interval(facts); !obstacle.empty()) return skipped(obstacle);
  if (!facts.load->cpus) return unknown(facts.load->cpus.error().message);
  const LoadPeriod period(facts);
  const auto commands = rps_commands(facts, options, facts.load->cpus->size());
  FindingBuilder findings;
  std::vector<std::string> evidence;
  const host::CpuUse* busiest = nullptr;
  double most = -1;
  for (const auto& cpu : *facts.load->cpus) {
    const auto use = period.use_of(cpu);
    if (!use || use->total == 0) continue;
    const auto share = ratio(use->softirq, use->total);
    if (share > most) {
      most = share;
      busiest = &cpu;
    }
    if (share < kBusySoftirq) continue;
    findings.warn(fmt::format("CPU {} spent {:.0f} % {} in softirqs ({} NET_RX){}",
                              cpu.cpu,
                              kPercent * share,
                              period.text(),
                              period.with_rate(use->net_rx),
                              queues_of(cpu.cpu, facts, period)),
                  commands);
  }
  if (busiest != nullptr && most < kBusySoftirq) {
    findings.ok(fmt::format(
        "at most {:.0f} % of a CPU {} (CPU {})", kPercent * most, period.text(), busiest->cpu));
  }
  return findings.build(
      "no CPU was measured",
      "let more CPUs share the work: speed.interrupts shows which CPUs the "
      "interrupts use; RPS passes packets of one queue on to other CPUs; one flow "
      "always uses one queue");
}

// ---- slow kernels -------------------------------------------------------------------------------

Finding slow_kernel(const host::Facts& facts, const CheckOptions& options) {
  if (!facts.kernel) return unknown(facts.kernel.error().message);
  FindingBuilder findings;
  std::vector<std::string> sources;
  if (const auto* slow = find_slow_kernel(*facts.kernel)) {
    findings.warn(fmt::format("{}: {}", facts.kernel->release, slow->effect),
                  newer_kernel_commands(facts));
    sources.emplace_back(slow->source);
  }
  const auto nics = selected_nics(facts, options);
  const bool has_mana =
      std::ranges::any_of(nics, [](const auto* nic) { return nic->has_mana_vf(); });
  if (has_mana && facts.load && !facts.load->wireguard.empty()) {
    findings.warn(fmt::format("{}: WireGuard over MANA was reported with 2 to 3 MB/s",
                              join(facts.load->wireguard, ", ")));
    sources.emplace_back(
        "https://github.com/cilium/cilium/issues/46100: 54 to 76 MB/s between VFs of mlx5");
  }
  findings.ok(fmt::format("{}: no other slow combination is known", facts.kernel->release),
              facts.kernel->release);
  auto finding = findings.build(
      "no NIC",
      "compare the throughput with and without the tunnel, if there is one; for a slow kernel, "
      "install the distribution's newest one (active after a reboot)");
  finding.evidence.insert(finding.evidence.end(), sources.begin(), sources.end());
  return finding;
}

constexpr std::array kCpuChecks = {
    Check{"speed.interrupts",
          "the interrupts of MANA's queues are spread over the CPUs",
          "Few CPUs receive the interrupts of MANA's queues",
          Requirement::nic,
          Use::kernel,
          interrupts},
    Check{"speed.softirq",
          "no CPU is busy only with softirqs",
          "A CPU is busy only with softirqs",
          Requirement::nic,
          Use::kernel,
          softirq},
    Check{"speed.kernel",
          "the kernel is not known to be slow with MANA",
          "The kernel, or what it is combined with, is known to be slow",
          Requirement::nic,
          Use::kernel,
          slow_kernel},
};

}  // namespace

std::span<const Check> cpu_checks() {
  return kCpuChecks;
}

}  // namespace manactl::diag
