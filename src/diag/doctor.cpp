// SPDX-License-Identifier: MIT

#include "diag/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "diag/confirm.h"
#include "diag/log_release.h"

namespace manactl::diag {
namespace {

// An entry of a log and what became of it.
struct Case {
  const LogEntry* entry = nullptr;
  const LogReport* log = nullptr;
  std::uint64_t count = 0;  // over all logs
  Testimony testimony;
  bool explained = false;

  const Signature& signature() const { return *entry->signature; }
};

using Cases = std::vector<Case>;

bool names(const std::string& pattern, const Signature& signature) {
  if (!pattern.ends_with('*')) return pattern == signature.id;
  return std::string_view(signature.id)
      .starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

bool names_any(const std::vector<std::string>& patterns, const Signature& signature) {
  return std::ranges::any_of(patterns, [&](const auto& p) { return names(p, signature); });
}

// ---- what is benign here ------------------------------------------------------------------------

bool is_healed(const LogEntry& entry, const LogReport& log) {
  return std::ranges::any_of(log.entries, [&entry](const LogEntry& other) {
    return other.signature != nullptr && other.last_line > entry.last_line &&
           names_any(entry.signature->healed_by, *other.signature);
  });
}

bool has_company(const LogEntry& entry, const LogReport& log) {
  const auto& wanted = entry.signature->only_with;
  return wanted.empty() || std::ranges::any_of(log.entries, [&wanted](const LogEntry& other) {
           return other.signature != nullptr && names_any(wanted, *other.signature);
         });
}

bool is_benign(const LogEntry& entry, const LogReport& log) {
  return entry.benign || entry.signature->role == Role::benign || !has_company(entry, log) ||
         is_healed(entry, log);
}

// ---- what explains what -------------------------------------------------------------------------

bool explains(const Case& one, const Case& other) {
  const auto& cause = one.signature();
  const auto& effect = other.signature();
  if (&cause == &effect || cause.role != Role::cause) return false;
  return std::ranges::any_of(effect.explained_by, [&](const std::string& pattern) {
    // Ranks keep two signatures from explaining each other.
    return (pattern == "*" || pattern.ends_with('*'))
               ? cause.rank > effect.rank && names(pattern, cause)
               : names(pattern, cause);
  });
}

void mark_explained(Cases& cases) {
  for (auto& one : cases) {
    one.explained = std::ranges::any_of(cases, [&one](const Case& o) { return explains(o, one); });
  }
}

// What the VM confirms comes first, what it contradicts last; then the more fundamental cause.
bool is_better(const Case& one, const Case& other) {
  const auto order = [](const Case& c) {
    switch (c.testimony.confirmation) {
      case Confirmation::confirmed:
        return 0;
      case Confirmation::not_possible:
        return 1;
      case Confirmation::contradicted:
        return 2;
    }
    return 2;
  };
  return std::tuple(order(one), -one.signature().rank) <
         std::tuple(order(other), -other.signature().rank);
}

void insert_before_worse(Cases& cases, const Case& one) {
  const auto worse = [&one](const Case& other) { return is_better(one, other); };
  cases.insert(std::ranges::find_if(cases, worse), one);
}

// ---- items --------------------------------------------------------------------------------------

std::string release_note(const Signature& signature, const LogReport& log) {
  const auto& release = log.dpdk_release;
  if (release.empty()) return {};
  const auto& from = signature.printed_from;
  const bool too_new = has_reached(release, signature.gone_in);
  if (too_new || (!from.empty() && !has_reached(release, {from}))) {
    return fmt::format("DPDK {}, which the log names, does not print this line", release);
  }
  if (signature.mended_in.empty()) return {};
  if (has_reached(release, signature.mended_in)) {
    return fmt::format("DPDK {} of this log has the fix of DPDK already", release);
  }
  return fmt::format(
      "DPDK {} of this log lacks a fix that is in {}", release, join(signature.mended_in, ", "));
}

// What passes is told by its title, the detail alone may be just a name.
std::string evidence(const Ran& ran) {
  const auto& [check, finding] = ran;
  if (finding.status != Status::pass) return fmt::format("{}: {}", check.id, finding.detail);
  return fmt::format("{}: {}: {}", check.id, check.title, finding.detail);
}

Diagnosis::Item item_of(const Case& one) {
  const auto& signature = one.signature();
  Diagnosis::Item item;
  item.id = signature.id;
  item.title = signature.title;
  item.quote = one.entry->first;
  item.count = one.count;
  item.cause = signature.cause;
  item.fix = signature.fix;
  item.commands = signature.commands;
  item.confirmation = one.testimony.confirmation;
  item.note = release_note(signature, *one.log);
  const auto& [confirmation, check, witness] = one.testimony;
  // Both know the names on this VM.
  const auto take = [&item](const std::vector<std::string>& commands) {
    if (!commands.empty()) item.commands = commands;
  };
  if (check != nullptr) {
    item.confirmed_by = evidence(*check);
    const auto& remedy = check->finding.remedy;
    if (confirmation == Confirmation::confirmed && remedy) take(remedy->commands);
  } else if (witness != nullptr) {
    item.confirmed_by = witness->says;
    take(witness->commands);
  }
  return item;
}

Diagnosis::Item item_of(const Ran& ran) {
  Diagnosis::Item item;
  item.id = ran.check.id;
  item.title = ran.check.problem;
  item.cause = ran.finding.detail;
  item.confirmation = Confirmation::confirmed;
  item.confirmed_by = evidence(ran);
  if (ran.finding.remedy) {
    item.fix = ran.finding.remedy->why;
    item.commands = ran.finding.remedy->commands;
  }
  return item;
}

Diagnosis::Item item_of(const LogEntry& unknown) {
  Diagnosis::Item item;
  item.title = "looks like an error; nothing is known about it";
  item.quote = unknown.first;
  item.count = unknown.count;
  return item;
}

// ---- the diagnosis ------------------------------------------------------------------------------

class Doctor {
 public:
  Doctor(const Report& checks,
         const std::vector<LogReport>& logs,
         const std::vector<Witness>& witnesses)
      : checks_(checks), witnesses_(witnesses) {
    for (const auto& log : logs) sort(log);
  }

  Diagnosis run() &&;

 private:
  void sort(const LogReport& log);
  void add(Cases& cases, const LogEntry& entry, const LogReport& log);
  const Case* best_case() const;
  void place_cases(const Case* root);
  void place_checks();
  bool is_merged(const Ran& ran) const;

  const Report& checks_;
  const std::vector<Witness>& witnesses_;
  Diagnosis diagnosis_;
  Cases troubles_, benign_;
  std::vector<const Ran*> merged_;  // checks whose finding is told with a line of a log
};

void Doctor::sort(const LogReport& log) {
  diagnosis_.lines += log.lines;
  diagnosis_.more_unknown += log.more_unknown;
  for (const auto& entry : log.entries) {
    if (entry.signature == nullptr) {
      diagnosis_.unknown.push_back(item_of(entry));
    } else {
      add(is_benign(entry, log) ? benign_ : troubles_, entry, log);
    }
  }
}

void Doctor::add(Cases& cases, const LogEntry& entry, const LogReport& log) {
  const auto same = std::ranges::find_if(
      cases, [&entry](const Case& c) { return c.entry->signature == entry.signature; });
  if (same != cases.end()) {
    same->count += entry.count;
    return;
  }
  cases.push_back(
      {&entry, &log, entry.count, confirm(*entry.signature, checks_, witnesses_), false});
}

const Case* Doctor::best_case() const {
  const Case* best = nullptr;
  for (const auto& one : troubles_) {
    if (one.explained || one.signature().role != Role::cause) continue;
    if (best == nullptr || is_better(one, *best)) best = &one;
  }
  return best;
}

bool Doctor::is_merged(const Ran& ran) const {
  const auto causes = ran.check.caused_by;
  return std::ranges::any_of(merged_, [&](const Ran* told) {
    return told == &ran || std::ranges::find(causes, told->check.id) != causes.end();
  });
}

void Doctor::place_cases(const Case* root) {
  Cases others;
  for (const auto& one : troubles_) {
    if (&one == root) continue;
    if (one.explained || one.signature().role == Role::consequence) {
      diagnosis_.consequences.push_back(item_of(one));
    } else {
      insert_before_worse(others, one);
    }
  }
  for (const auto& one : others) diagnosis_.others.push_back(item_of(one));
  for (const auto& one : benign_) {
    auto item = item_of(one);
    item.commands.clear();
    diagnosis_.benign.push_back(std::move(item));
  }
}

void Doctor::place_checks() {
  const auto causes = first_causes(checks_);
  for (const auto& ran : checks_.ran) {
    if (ran.finding.status != Status::fail) continue;
    if (std::ranges::find(merged_, &ran) != merged_.end()) continue;
    const bool is_cause = std::ranges::find(causes, &ran) != causes.end() && !is_merged(ran);
    if (!is_cause) {
      diagnosis_.consequences.push_back(item_of(ran));
    } else if (!diagnosis_.root) {
      diagnosis_.root = item_of(ran);
    } else {
      diagnosis_.others.push_back(item_of(ran));
    }
  }
}

Diagnosis Doctor::run() && {
  mark_explained(troubles_);
  const Case* root = best_case();
  // What this VM does not show (any more) gives way to what it does show.
  const bool is_past =
      root != nullptr && root->testimony.confirmation == Confirmation::contradicted;
  if (is_past && !first_causes(checks_).empty()) root = nullptr;
  for (const auto& one : troubles_) {
    const auto& testimony = one.testimony;
    if (testimony.confirmation == Confirmation::confirmed && testimony.check != nullptr) {
      merged_.push_back(testimony.check);
    }
  }
  if (root != nullptr) diagnosis_.root = item_of(*root);
  place_cases(root);
  place_checks();
  return std::move(diagnosis_);
}

}  // namespace

Diagnosis diagnose(const Report& checks,
                   const std::vector<LogReport>& logs,
                   const std::vector<Witness>& witnesses) {
  return Doctor(checks, logs, witnesses).run();
}

}  // namespace manactl::diag
