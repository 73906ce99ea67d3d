// SPDX-License-Identifier: MIT
//
// The checks of speed that judge counters of packets: the path, losses, timeouts and resets.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/load_period.h"
#include "host/nic_state.h"
#include "host/tuning.h"

namespace manactl::diag {

namespace {

using host::NicLoad;

// ---- the path -----------------------------------------------------------------------------------

// The kernel chooses the path of sent packets, and the host that of received ones: it may deliver
// the first packets of a flow on the synthetic path.
constexpr double kMinSentByVf = 0.99, kMinReceivedByVf = 0.5;

Finding vf_share(const host::Facts& facts, const CheckOptions& options) {
  if (auto obstacle = obstacle_to_interval(facts); !obstacle.empty()) {
    return skipped(obstacle + "; interfaces.path judges the packets since boot");
  }
  const LoadPeriod period(facts);
  FindingBuilder findings;
  for (const auto* nic : selected_nics(facts, options)) {
    if (!host::is_paired(*nic)) continue;
    const auto count = [&](const char* name) {
      return period.increase(*nic, &NicLoad::synthetic, name);
    };
    const auto rx_vf = count("vf_rx_packets"), tx_vf = count("vf_tx_packets");
    const auto rx = std::max(count("rx_packets"), rx_vf);
    const auto tx = std::max(count("tx_packets"), tx_vf);
    const auto line = fmt::format("{}: VF received {} of {} packets, sent {} of {} {}",
                                  nic->name(),
                                  rx_vf,
                                  period.with_rate(rx),
                                  tx_vf,
                                  period.with_rate(tx),
                                  period.text());
    const bool is_slow = (tx >= host::kEnoughPackets && ratio(tx_vf, tx) < kMinSentByVf) ||
                         (rx >= host::kEnoughPackets && ratio(rx_vf, rx) < kMinReceivedByVf);
    is_slow ? findings.warn(line) : findings.ok(line, nic->name());
  }
  return findings.build(
      "no NIC is paired with a VF",
      "find 'Data path switched' in the kernel log ('manactl doctor --kernel-log'): "
      "Azure may service the host, and the VF returns by itself; "
      "broadcasts and the first packets of a flow take the synthetic path");
}

// ---- lost packets and full rings ----------------------------------------------------------------

enum class Loss { received, sent, full_ring, no_buffer };

struct LossRow {
  bool is_of_vf;
  std::string_view counter;  // "hc_tx_err_" stands for all counters that begin so
  Loss loss;
  std::string_view meaning;
};

// Sources: netvsc_drv.c of hv_netvsc, and mana_ethtool.c.
constexpr std::array kLosses = {
    LossRow{false, "vf_tx_dropped", Loss::sent, "the VF did not accept"},
    LossRow{false, "tx_no_space", Loss::sent, "the ring to the host had no space for"},
    LossRow{false, "tx_no_memory", Loss::sent, "the kernel had no memory for"},
    LossRow{false, "rx_no_memory", Loss::received, "the kernel had no memory for"},
    LossRow{false, "tx_send_full", Loss::full_ring, "the ring to the host was full for"},
    LossRow{false, "rx_comp_busy", Loss::full_ring, "the ring to the host was full for"},
    LossRow{false, "stop_queue", Loss::full_ring, "a full ring stopped a queue for"},
    LossRow{true, "hc_rx_discards_no_wqe", Loss::no_buffer, "the device had no buffer for"},
    LossRow{true, "rx_missed_errors", Loss::no_buffer, "the device had no buffer for"},
    LossRow{true, "hc_tx_err_", Loss::sent, "the device rejected"},
    LossRow{true, "tx_dropped", Loss::sent, "the driver dropped"},
    LossRow{true, "tx_cq_err", Loss::sent, "the device reported errors for"},
    LossRow{true, "stop_queue", Loss::full_ring, "a full ring stopped a queue for"},
};

// A loss is a warning from this number and share of packets on. A few packets are lost whenever the
// data path switches.
constexpr std::uint64_t kManyLost = 100;
constexpr double kLostShare = 1e-4, kFullShare = 1e-3;

bool can_change_rings(const host::Nic& nic) {
  const auto* vf_ring = host::find_tunable("vf-rx-ring");
  return nic.vf && host::present_value(*vf_ring, *nic.vf);
}

std::vector<std::string> commands_against(Loss loss, const host::Nic& nic) {
  const bool may_help = (loss == Loss::no_buffer && can_change_rings(nic)) ||
                        (loss == Loss::full_ring && nic.synthetic);
  if (!may_help) return {};
  return {fmt::format("manactl tune {}", shell_word(nic.name()))};
}

std::uint64_t increase_of(const LossRow& row, const host::Nic& nic, const LoadPeriod& period) {
  const auto counters = row.is_of_vf ? &NicLoad::vf : &NicLoad::synthetic;
  if (!row.counter.ends_with('_')) return period.increase(nic, counters, row.counter);
  std::uint64_t sum = 0;
  for (const auto& [name, value] : period.now(nic)->*counters) {
    if (name.starts_with(row.counter)) sum += period.increase(nic, counters, name);
  }
  return sum;
}

// Adds a line for each loss that matters, and one with all other counters that are not 0.
void judge_losses(const host::Nic& nic, const LoadPeriod& period, FindingBuilder& findings) {
  const auto all = nic.synthetic ? &NicLoad::synthetic : &NicLoad::vf;
  const bool has_discards = period.now(nic)->vf.contains("hc_rx_discards_no_wqe");
  std::vector<std::string> harmless;
  bool is_harmless = true;
  for (const auto& row : kLosses) {
    // Since Linux 6.19, mana reports the same packets in both counters.
    if (row.counter == "rx_missed_errors" && has_discards) continue;
    const auto lost = increase_of(row, nic, period);
    if (lost == 0) continue;
    const bool is_received = row.loss == Loss::received || row.loss == Loss::no_buffer;
    const auto packets = period.increase(nic, all, is_received ? "rx_packets" : "tx_packets");
    const auto limit = row.loss == Loss::full_ring ? kFullShare : kLostShare;
    const bool is_much = lost >= kManyLost && ratio(lost, packets + lost) >= limit;
    if (!is_much) {
      harmless.push_back(fmt::format("{} {}", row.counter, period.with_rate(lost)));
      continue;
    }
    is_harmless = false;
    findings.warn(fmt::format("{}: {} {} packets {}, {:.2g} % ({})",
                              nic.name(),
                              row.meaning,
                              period.with_rate(lost),
                              period.text(),
                              kPercent * ratio(lost, packets + lost),
                              row.counter),
                  commands_against(row.loss, nic));
  }
  if (harmless.empty() && !is_harmless) return;
  const auto others = harmless.empty() ? std::string("no losses") : join(harmless, ", ");
  findings.ok(fmt::format("{}: {} {}", nic.name(), others, period.text()), nic.name());
}

Finding drops(const host::Facts& facts, const CheckOptions& options) {
  if (auto obstacle = obstacle_to_load(facts); !obstacle.empty()) return skipped(obstacle);
  const LoadPeriod period(facts);
  FindingBuilder findings;
  for (const auto* nic : selected_nics(facts, options)) {
    if (period.now(*nic) == nullptr || nic->is_prepared() || host::is_unbound(*nic)) continue;
    judge_losses(*nic, period, findings);
  }
  return findings.build(
      "no NIC of the kernel was measured",
      "run 'manactl check --interval 10' to see whether packets are still lost; a larger ring "
      "holds longer bursts (changing it interrupts the traffic briefly; mana can since Linux "
      "6.12), and CPUs that share the load empty it sooner");
}

// ---- timeouts and resets ------------------------------------------------------------------------

// Whether the VF's counters began again in the interval, or the VF has gone.
bool was_reset(const host::Nic& nic, const LoadPeriod& period) {
  const auto* before = period.before(nic);
  if (before == nullptr || period.now(nic) == nullptr) return false;
  return std::ranges::any_of(before->vf, [&](const auto& counter) {
    return value_of(period.now(nic)->vf, counter.first) < counter.second;
  });
}

Finding timeouts(const host::Facts& facts, const CheckOptions& options) {
  if (auto obstacle = obstacle_to_load(facts); !obstacle.empty()) return skipped(obstacle);
  const LoadPeriod period(facts);
  FindingBuilder findings;
  for (const auto* nic : selected_nics(facts, options)) {
    if (period.now(*nic) == nullptr) continue;
    const auto count = period.increase(*nic, &NicLoad::synthetic, "tx_timeout") +
                       period.increase(*nic, &NicLoad::vf, "tx_timeout");
    if (was_reset(*nic, period)) {
      findings.warn(fmt::format("{}: the VF was reset or replaced {}", nic->name(), period.text()));
    } else if (count > 0) {
      findings.warn(fmt::format("{}: {} timeouts of send queues {}",
                                nic->name(),
                                period.with_rate(count),
                                period.text()));
    } else {
      findings.ok(fmt::format("{}: no timeout {}", nic->name(), period.text()), nic->name());
    }
  }
  return findings.build("no NIC was measured",
                        "read the kernel log ('manactl doctor --kernel-log'), which shows when and "
                        "why; kernel.fixes lists fixes "
                        "against stalled queues that this kernel lacks");
}

constexpr std::array kTrafficChecks = {
    Check{"speed.vf-share",
          "the VF carries the packets of the interval",
          "Packets of the interval took the synthetic path",
          Requirement::nic,
          Use::kernel,
          vf_share},
    Check{"speed.drops",
          "few packets are lost, and rings are seldom full",
          "Packets are lost, or rings are full",
          Requirement::nic,
          Use::kernel,
          drops},
    Check{"speed.timeouts",
          "no send queue timed out, and no VF was reset",
          "A send queue timed out, or a VF was reset",
          Requirement::nic,
          Use::kernel,
          timeouts},
};

}  // namespace

std::span<const Check> traffic_checks() {
  return kTrafficChecks;
}

}  // namespace manactl::diag
