// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "diag/doctor.h"
#include "fuzz/entry_points.h"
#include "fuzz/require.h"
#include "host/decompress.h"
#include "host/driver_modules.h"
#include "host/initramfs.h"

namespace manactl::fuzz {
namespace {

// Returns at most `piece` bytes per read, as a pipe may do.
class PieceSource : public ByteSource {
 public:
  PieceSource(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}

  Result<std::size_t> read(std::span<char> into) override {
    const auto count = std::min({into.size(), piece_, text_.size()});
    std::copy_n(text_.begin(), count, into.begin());
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

const diag::SignatureSet& signatures() {
  static const auto set = diag::SignatureSet::load();
  require(set.has_value());
  return *set;
}

diag::LogReport read(std::string_view input, std::size_t piece) {
  PieceSource source(input, piece);
  auto report = diag::read_log(source, "log", signatures());
  require(report.has_value());
  return std::move(*report);
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
}

// Checks of pasted outputs have results and name lines of the log.
void require_ticket(const diag::LogReport& report) {
  const auto& ticket = report.ticket;
  require(ticket.checks.outcomes.empty() || !ticket.outputs.empty());
  for (const auto& outcome : ticket.checks.outcomes) {
    require(outcome.finding.status != diag::Status::unknown && !outcome.finding.detail.empty());
    require(outcome.quote && outcome.quote->line > 0 && outcome.quote->line <= report.lines);
    require(is_printable(outcome.quote->text));
  }
  const auto diagnosis = diag::diagnose(ticket.checks, {report}, ticket.observations);
  require(!diagnosis.root || diagnosis.root->quote.has_value());
}

void require_consistent(const diag::LogReport& report) {
  require_ticket(report);
  for (const auto& entry : report.entries) {
    require(entry.count > 0 && entry.first.line > 0 && entry.first.line <= entry.last_line);
    require(entry.last_line <= report.lines && is_printable(entry.first.text));
    require((entry.resolution == diag::Resolution::none) == !entry.proof);
    require(entry.proof.value_or(entry.first).line <= report.lines);
  }
  require(report.runs.size() <= diag::Story::kMaxRuns);
  for (const auto& run : report.runs) {
    require(run.first_line > 0 && run.first_line <= run.last_line);
    require(run.last_line <= report.lines);
    require(run.milestones.size() <= diag::Story::kMaxMilestones);
    require(run.ending == diag::Ending::none || run.end.has_value());
    for (const auto& one : run.milestones) {
      require(one.signature != nullptr && one.signature->state == one.state);
      require(one.quote.line > 0 && one.quote.line <= one.last_line);
      require(one.last_line <= run.last_line && is_printable(one.quote.text));
    }
  }
}

// The verdict and the root cause must agree and name lines of the log.
void require_verdict(const diag::LogReport& report) {
  const auto diagnosis = diag::diagnose({}, {report});
  require(!diagnosis.root || diagnosis.root->quote.has_value());
  require(diagnosis.verdict.has_value());
  const auto& verdict = *diagnosis.verdict;
  require(!diagnosis.root || diag::is_failure(verdict.answer));
  require(diag::is_failure(verdict.answer) == verdict.failure.has_value());
  const bool needs_success =
      verdict.answer == diag::Answer::works || verdict.answer == diag::Answer::worked_until;
  require(!needs_success || verdict.worked.has_value());
  require(!verdict.failure || verdict.failure->line <= report.lines);
  require(!verdict.worked || verdict.worked->last_line <= report.lines);
}

// Reads the input cut at a byte, without a line and with a line repeated. The input chooses both.
void require_verdicts_of_variations(std::string_view input) {
  if (input.empty()) return;
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : input) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  const auto at = static_cast<std::size_t>(hash % input.size());
  const auto before = at == 0 ? std::string_view::npos : input.rfind('\n', at - 1);
  const auto begin = before == std::string_view::npos ? 0 : before + 1;
  const auto end = std::min(input.find('\n', at), input.size() - 1) + 1;
  const std::string head(input.substr(0, begin));
  const std::string line(input.substr(begin, end - begin));
  const std::string tail(input.substr(end));
  for (const auto& text :
       {std::string(input.substr(0, at)), head + tail, head + line + line + tail, line + tail}) {
    const auto report = read(text, text.size() + 1);
    require_consistent(report);
    require_verdict(report);
  }
}

void require_same(const diag::LogReport& one, const diag::LogReport& other) {
  require(one.lines == other.lines && one.matched_lines == other.matched_lines);
  require(one.more_unknown == other.more_unknown && one.entries.size() == other.entries.size());
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    require(one.entries[i].signature == other.entries[i].signature);
    require(one.entries[i].count == other.entries[i].count);
    require(one.entries[i].first.text == other.entries[i].first.text);
  }
}

}  // namespace

// A reduced initramfs has the same modules.
void require_initramfs(std::string_view input) {
  const std::vector<std::string_view> names(host::kInitramfsModules.begin(),
                                            host::kInitramfsModules.end());
  const auto modules = host::modules_in_initramfs(input, names);
  if (!modules) return require(!modules.error().message.empty());
  const auto again = host::modules_in_initramfs(host::reduced_initramfs(input), names);
  require(again && *again == *modules);
}

void decompress(std::string_view input) {
  require_initramfs(input);
  constexpr std::uint64_t kMax = 1U << 20U;
  const auto source =
      host::decompressed(std::make_unique<PieceSource>(input, input.size() + 1), kMax);
  std::array<char, 4096> block{};
  std::uint64_t total = 0;
  while (true) {
    const auto got = source->read(block);
    if (!got) return require(got.error().code == Errc::invalid && !got.error().message.empty());
    if (*got == 0) return;
    total += *got;
    require(total <= std::max<std::uint64_t>(kMax, input.size()));
  }
}

void log(std::string_view input) {
  constexpr std::size_t kSmall = 7;
  const auto report = read(input, input.size() + 1);
  require_consistent(report);
  require_same(report, read(input, kSmall));
  require_verdict(report);
  require_verdicts_of_variations(input);
  // may_match() must not exclude a line that match() accepts.
  for (const auto line : split(input, '\n')) {
    if (signatures().match(line)) require(signatures().may_match(line));
  }
}

}  // namespace manactl::fuzz
