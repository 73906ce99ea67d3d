// SPDX-License-Identifier: MIT

#include "cli/readiness_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "diag/fact_lookups.h"
#include "diag/readiness.h"
#include "host/nic_state.h"

namespace manactl::cli {
namespace {

bool any_nic_is_free(const host::Facts& facts, const diag::CheckOptions& options) {
  return std::ranges::any_of(diag::selected_nics(facts, options), [&](const host::Nic* nic) {
    return host::availability_of(*nic, facts).is_free.value_or(true);
  });
}

// "VPP selects 0101:00:02.0 of mlx5", or the problem: "the mana driver is not loaded".
std::string reason_of(const diag::CheckOutcome& outcome) {
  if (!outcome.finding.reason.empty()) return printable(outcome.finding.reason);
  std::string problem(outcome.check.problem);
  const bool is_acronym = problem.starts_with("DPDK") || problem.starts_with("NIC");
  if (!is_acronym) problem[0] = static_cast<char>(problem[0] | ('a' - 'A'));  // ASCII
  return problem;
}

using Reasons = std::vector<const diag::CheckOutcome*>;

// "a, b, and c"
std::string reasons_of(const Reasons& reasons) {
  constexpr std::size_t kMax = 3;
  std::vector<std::string> texts;
  for (const auto* reason : reasons) texts.push_back(reason_of(*reason));
  if (texts.size() > kMax) {
    const auto more = texts.size() - kMax;
    texts.resize(kMax);
    texts.push_back(counted(more, "other reason"));
  }
  if (texts.size() > 1) texts.back().insert(0, "and ");
  return join(texts, ", ");
}

// Returns what is missing although the checks pass.
std::vector<std::string> exceptions_of(const host::Facts& facts,
                                       const diag::CheckOptions& options) {
  std::vector<std::string> exceptions;
  if (facts.has_mana() && !any_nic_is_free(facts, options)) {
    exceptions.push_back(options.interface ? printable(*options.interface) + " is not free for DPDK"
                                           : "no NIC is free for DPDK");
  }
  // Programs that contain DPDK, such as manactl bench, need none.
  if (facts.dpdk && facts.dpdk->empty()) {
    exceptions.emplace_back("no shared DPDK is installed (see 'manactl help dpdk.installed')");
  }
  return exceptions;
}

struct Verdict {
  std::optional<bool> ready;
  Reasons reasons;                // that no earlier verdict has
  std::vector<std::string> uses;  // "DPDK"
  std::vector<std::string> exceptions;
};

// The sentence after `before`, which is null for the first one. "Not ready for MANA" means neither
// use.
std::string sentence_of(const Verdict& verdict, const Verdict* before) {
  const auto& [ready, reasons, uses, exceptions] = verdict;
  const auto* purpose = before == nullptr ? "for MANA with" : "with";
  const auto what = fmt::format("{} {}", purpose, join(uses, " and "));
  if (ready == false) {
    const bool is_second = before != nullptr && before->ready == false;
    return fmt::format("Not ready {}{}: {}.",
                       uses.size() > 1 ? "for MANA" : what,
                       is_second ? " either" : "",
                       reasons_of(reasons));
  }
  if (!ready) return fmt::format("Whether this VM is ready {} is unknown; -v shows why.", what);
  return fmt::format(
      "Ready {}{}{}.", what, exceptions.empty() ? "" : ", but ", join(exceptions, ", and "));
}

}  // namespace

bool is_complete(const diag::Report& report, const diag::CheckOptions& options) {
  const auto planned = std::ranges::count_if(diag::all_checks(), [&](const diag::Check& check) {
    return !options.use || check.matters_for(*options.use);
  });
  return report.outcomes.size() == static_cast<std::size_t>(planned);
}

std::string readiness_text(const host::Facts& facts,
                           const diag::Report& report,
                           const diag::CheckOptions& options) {
  std::vector<Verdict> verdicts;
  for (const auto& [use, word] : diag::kUseWords) {
    if (options.use && *options.use != use) continue;
    auto [ready, reasons] = diag::readiness_for(use, facts, report);
    if (ready != false && !is_complete(report, options)) continue;
    const bool is_dpdk = use == diag::Use::dpdk;
    const auto* name = is_dpdk ? "DPDK" : "the kernel's network stack";
    const bool is_same = !verdicts.empty() && verdicts.back().ready == ready;
    if (is_same) {
      std::erase_if(reasons, [&](const auto* reason) {
        return std::ranges::find(verdicts.back().reasons, reason) != verdicts.back().reasons.end();
      });
    }
    if (!is_same || !reasons.empty()) verdicts.push_back({ready, std::move(reasons), {}, {}});
    verdicts.back().uses.emplace_back(name);
    if (is_dpdk) verdicts.back().exceptions = exceptions_of(facts, options);
  }
  std::vector<std::string> sentences;
  const Verdict* before = nullptr;
  for (const auto& verdict : verdicts) {
    sentences.push_back(sentence_of(verdict, before));
    before = &verdict;
  }
  const bool is_forecast = !facts.has_mana() && facts.is_on_azure() && !sentences.empty();
  return (is_forecast ? "Forecast: " : "") + join(sentences, " ");
}

}  // namespace manactl::cli
