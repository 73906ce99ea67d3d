// SPDX-License-Identifier: MIT

#include "diag/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/enum_words.h"
#include "base/json_fields.h"

namespace manactl::diag {
namespace {

constexpr EnumWords<Role, 5> kRoles = {{
    {Role::cause, "cause"},
    {Role::consequence, "consequence"},
    {Role::benign, "benign"},
    {Role::evidence, "evidence"},
    {Role::note, "note"},
}};

template <class E, std::size_t N>
std::optional<E> read_word(const JsonFields& entry, const char* key, const EnumWords<E, N>& words) {
  if (!entry.has(key)) return std::nullopt;
  const auto word = entry.text(key);
  const auto value = value_of(words, word);
  if (!value) entry.refuse(key, fmt::format("cannot be '{}'", word));
  return value;
}

Role read_role(const JsonFields& entry) {
  const auto word = entry.text("role");
  const auto role = value_of(kRoles, word);
  if (!role) entry.refuse("role", fmt::format("cannot be '{}'", word));
  return role.value_or(Role::note);
}

std::vector<std::string> texts_or_none(const JsonFields& entry, const char* key) {
  return entry.has(key) ? entry.texts(key) : std::vector<std::string>();
}

Captures read_captures(const JsonFields& entry, const char* key) {
  Captures captures;
  if (!entry.has(key)) return captures;
  for (const auto& row : entry.objects(key)) {
    for (auto& value : row.texts("values")) {
      captures.emplace_back(row.text("capture"), std::move(value));
    }
  }
  return captures;
}

std::vector<Remedy> read_other_fixes(const JsonFields& entry) {
  std::vector<Remedy> fixes;
  if (!entry.has("other_fixes")) return fixes;
  for (const auto& row : entry.objects("other_fixes")) {
    fixes.push_back({row.text("fix"), texts_or_none(row, "commands")});
  }
  return fixes;
}

std::vector<Alternative> read_alternatives(const JsonFields& entry) {
  std::vector<Alternative> alternatives;
  if (!entry.has("alternatives")) return alternatives;
  for (const auto& row : entry.objects("alternatives")) {
    alternatives.push_back({row.text("cause"),
                            row.text("confirm"),
                            texts_or_none(row, "checks"),
                            row.text_or_empty("observation"),
                            read_captures(row, "when"),
                            row.text_or_empty("fix"),
                            read_other_fixes(row)});
  }
  return alternatives;
}

std::vector<Counter> read_counters(const JsonFields& rule, const char* key) {
  std::vector<Counter> counters;
  for (const auto& word : texts_or_none(rule, key)) {
    const auto counter = value_of(kCounters, std::string_view(word));
    if (!counter) rule.refuse(key, fmt::format("cannot be '{}'", word));
    if (counter) counters.push_back(*counter);
  }
  return counters;
}

CounterRule read_counter_rule(const JsonFields& row) {
  CounterRule rule;
  const auto conclusion = read_word(row, "conclusion", kCounterConclusions);
  rule.conclusion = conclusion.value_or(rule.conclusion);
  rule.programs = texts_or_none(row, "programs");
  rule.modes = texts_or_none(row, "modes");
  rule.excluded_modes = texts_or_none(row, "excluded_modes");
  rule.of = read_counters(row, "of");
  rule.reference = read_counters(row, "reference");
  rule.per_mille = row.number_or_zero("per_mille");
  rule.min_packets = row.number_or_zero("min_packets");
  rule.min_packets_in_one_report = row.number_or_zero("min_packets_in_one_report");
  rule.all_devices = row.flag_or_false("all_devices");
  return rule;
}

std::vector<ProgramFix> read_fixes(const JsonFields& entry) {
  std::vector<ProgramFix> fixes;
  if (!entry.has("fixes")) return fixes;
  for (const auto& row : entry.objects("fixes")) {
    fixes.push_back({row.text("program"),
                     row.text("fix"),
                     texts_or_none(row, "commands"),
                     read_other_fixes(row)});
  }
  return fixes;
}

void read_releases(const JsonFields& entry, Signature& signature) {
  signature.since = entry.text_or_empty("since");
  signature.until = entry.text_or_empty("until");
  signature.fixed_in = texts_or_none(entry, "fixed_in");
  if (!entry.has("dpdk")) return;
  const auto printed = entry.object("dpdk");
  signature.printed_from = printed.text_or_empty("from");
  signature.removed_in = texts_or_none(printed, "removed_in");
}

void read_story(const JsonFields& entry, Signature& signature) {
  signature.state = read_word(entry, "state", kStates);
  signature.blocks = read_word(entry, "blocks", kStates);
  signature.begins = read_word(entry, "begins", kRunKinds);
  signature.ends = read_word(entry, "ends", kEndings);
  signature.about = read_word(entry, "about", kNicParts);
  signature.packets_pass = entry.flag_or_false("packets_pass");
  signature.nic_works = entry.flag_or_false("nic_works");
  signature.needs_run = entry.flag_or_false("needs_run");
  signature.affects_one_port = entry.flag_or_false("affects_one_port");
  signature.is_total = entry.flag_or_false("is_total");
  for (const auto& word : texts_or_none(entry, "expected_in")) {
    const auto state = value_of(kStates, std::string_view(word));
    if (!state) entry.refuse("expected_in", fmt::format("cannot be '{}'", word));
    if (state) signature.expected_in.push_back(*state);
  }
}

RepetitionRule read_repetition(const JsonFields& rule) {
  RepetitionRule repetition;
  repetition.of = texts_or_none(rule, "of");
  repetition.failed_runs = rule.flag_or_false("failed_runs");
  for (const auto& row : rule.objects("limits")) {
    auto& limit = repetition.limits.emplace_back();
    limit.times = row.number("times");
    limit.seconds = static_cast<double>(row.number("seconds"));
    limit.min_seconds = static_cast<double>(row.number_or_zero("min_seconds"));
    if (limit.times < 2) row.refuse("times", "is less than 2");
  }
  if (repetition.limits.empty()) rule.refuse("limits", "is empty");
  return repetition;
}

Signature read_signature(const JsonFields& entry) {
  Signature signature;
  signature.id = entry.text("id");
  signature.title = entry.text("title");
  signature.source = entry.text("source");
  signature.role = read_role(entry);
  entry.number_into(signature.rank, "rank");
  if (entry.has("absence")) {
    const auto rule = entry.object("absence");
    signature.absence = {rule.texts("from"), rule.texts("without"), texts_or_none(rule, "until")};
    signature.absence->end_after = static_cast<double>(rule.number_or_zero("end_after"));
    signature.absence->any_device = rule.flag_or_false("any_device");
  } else if (entry.has("counters")) {
    signature.counters = read_counter_rule(entry.object("counters"));
  } else if (entry.has("repetition")) {
    signature.repetition = read_repetition(entry.object("repetition"));
  } else if (entry.has("vf_state")) {
    signature.vf_state = read_word(entry, "vf_state", kVfStates);
  } else {
    signature.match = entry.text("match");
  }
  signature.examples = entry.texts("examples");
  signature.meaning = entry.text("meaning");
  signature.cause = entry.text("cause");
  signature.fix = entry.text("fix");
  signature.other_fixes = read_other_fixes(entry);
  signature.confirm = entry.text_or_empty("confirm");
  signature.commands = texts_or_none(entry, "commands");
  signature.fixes = read_fixes(entry);
  signature.application = entry.text_or_empty("application");
  signature.shows = entry.text_or_empty("shows");
  signature.alternatives = read_alternatives(entry);
  read_releases(entry, signature);
  signature.explained_by = texts_or_none(entry, "explained_by");
  signature.benign_without = texts_or_none(entry, "benign_without");
  signature.resolved_by = texts_or_none(entry, "resolved_by");
  signature.matters_after = texts_or_none(entry, "matters_after");
  signature.benign_when = read_captures(entry, "benign_when");
  read_story(entry, signature);
  signature.checks = texts_or_none(entry, "checks");
  signature.observation = entry.text_or_empty("observation");
  signature.passing_contradicts = entry.flag_or_false("passing_contradicts");
  return signature;
}

}  // namespace

std::string_view capture(const Captures& captures, std::string_view name) {
  const auto found = std::ranges::find(captures, name, &Captures::value_type::first);
  return found == captures.end() ? std::string_view() : std::string_view(found->second);
}

bool matches_id(std::string_view pattern, std::string_view id) {
  if (!pattern.ends_with('*')) return pattern == id;
  pattern.remove_suffix(1);
  return id.starts_with(pattern);
}

bool matches_any_id(const std::vector<std::string>& patterns, std::string_view id) {
  return std::ranges::any_of(patterns,
                             [id](const auto& pattern) { return matches_id(pattern, id); });
}

RunKind kind_of(const Signature& signature) {
  constexpr std::array<std::string_view, 8> kKernel = {
      "kernel", "mana.ko", "mana_ib", "hv_netvsc", "uio_hv_generic", "vmbus", "hugetlb", "network"};
  const bool is_kernel = std::ranges::find(kKernel, signature.source) != kKernel.end();
  return is_kernel ? RunKind::boot : RunKind::program;
}

Result<std::vector<Signature>> parse_signatures(std::string_view json) {
  JsonDocument document(json);
  if (!document.is_json()) return fail(Errc::invalid, "cannot read the signatures: not JSON");
  std::vector<Signature> signatures;
  const auto entries = document.root().objects("signatures");
  if (!document.error().empty()) {
    return fail(Errc::invalid, "cannot read the signatures: " + document.error());
  }
  for (const auto& entry : entries) {
    signatures.push_back(read_signature(entry));
    if (document.error().empty()) continue;
    return fail(Errc::invalid,
                fmt::format("signature '{}': {}", signatures.back().id, document.error()));
  }
  return signatures;
}

}  // namespace manactl::diag
