// SPDX-License-Identifier: MIT

#include "adapter/fault_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "wire/completion.h"

namespace manactl::adapter {
namespace {

constexpr EnumWords<int, 13> kErrnoWords = {{{EPERM, "EPERM"},
                                             {ENOENT, "ENOENT"},
                                             {EIO, "EIO"},
                                             {EAGAIN, "EAGAIN"},
                                             {ENOMEM, "ENOMEM"},
                                             {EACCES, "EACCES"},
                                             {EBUSY, "EBUSY"},
                                             {ENODEV, "ENODEV"},
                                             {EINVAL, "EINVAL"},
                                             {ENOSPC, "ENOSPC"},
                                             {EPROTO, "EPROTO"},
                                             {EOPNOTSUPP, "EOPNOTSUPP"},
                                             {ETIMEDOUT, "ETIMEDOUT"}}};

[[noreturn]] void hang() {
  for (;;) pause();
}

tl::unexpected<Error> unknown(std::string_view what,
                              std::string_view word,
                              const std::vector<std::string>& known) {
  constexpr std::size_t kFew = 6;
  const auto near = nearest(word, known);
  const auto hint = !near.empty()          ? fmt::format("did you mean '{}'?", near)
                    : known.size() <= kFew ? "use " + join(known, " or ")
                                           : "see FAULTS in manactl-sim(1)";
  return fail(Errc::invalid, fmt::format("unknown {} '{}'; {}", what, printable(word), hint));
}

// The largest number in a fault. In nanoseconds, so many milliseconds still fit into 64 bits.
constexpr std::uint64_t kMaxNumber = UINT64_MAX / 10'000'000;

bool is_verb(FaultKind kind) {
  return kind <= FaultKind::missing;
}

bool may_be_missing(Verb verb) {
  return verb >= Verb::query_device_ex;
}

Result<Fault> parse_error(Fault fault, std::string_view name) {
  const auto number = value_of(kErrnoWords, name);
  if (!number) return unknown("errno", name, words_of(kErrnoWords));
  fault.number = *number;
  return fault;
}

Result<Fault> parse_verb(std::string_view name, std::string_view what) {
  const auto verb = value_of(kVerbWords, name);
  if (!verb) {
    auto known = words_of(kVerbWords);
    known.insert(known.end(), {"tx", "rx", "cq", "doorbell", "device", "provider"});
    return unknown("fault target", name, known);
  }
  Fault fault;
  fault.verb = *verb;
  if (what.starts_with("errno:")) return parse_error(fault, what.substr(6));
  if (what == "hang" || what == "crash") {
    fault.kind = what == "hang" ? FaultKind::hang : FaultKind::crash;
    return fault;
  }
  if (parse_error(fault, what)) {
    return fail(Errc::invalid,
                fmt::format("'{0}' is not a fault; did you mean '{1}=errno:{0}'?", what, name));
  }
  if (what != "missing") return unknown("fault", what, {"errno:", "hang", "crash", "missing"});
  if (!may_be_missing(fault.verb)) {
    return fail(Errc::invalid,
                fmt::format("{} cannot be missing: programs link to it directly", name));
  }
  fault.kind = FaultKind::missing;
  return fault;
}

Result<Fault> parse_tx(std::string_view what) {
  const auto number = parse_unsigned(what, 63);
  const auto type = static_cast<wire::CqeType>(number.value_or(0));
  if (type <= wire::CqeType::tx_okay || wire::name_of(type).empty()) {
    return fail(
        Errc::invalid,
        fmt::format("'{}' is not the CQE type of a send error (33 to 42)", printable(what)));
  }
  Fault fault;
  fault.kind = FaultKind::tx_error;
  fault.number = static_cast<int>(*number);
  return fault;
}

Result<Fault> parse_what(std::string_view target, std::string_view what) {
  struct Row {
    std::string_view target, what;
    FaultKind kind;
  };

  static constexpr Row kRows[] = {{"rx", "truncate", FaultKind::truncate},
                                  {"rx", "drop", FaultKind::drop},
                                  {"cq", "overrun", FaultKind::overrun},
                                  {"provider", "foreign", FaultKind::foreign},
                                  {"doorbell", "lost", FaultKind::lost},
                                  {"doorbell", "delayed", FaultKind::delayed},
                                  {"doorbell", "duplicated", FaultKind::duplicated},
                                  {"device", "fatal", FaultKind::fatal},
                                  {"device", "reset", FaultKind::reset}};
  if (target == "tx") return parse_tx(what);
  std::vector<std::string> known;
  for (const auto& row : kRows) {
    if (row.target != target) continue;
    if (row.what == what) return Fault{.kind = row.kind};
    known.emplace_back(row.what);
  }
  return known.empty() ? parse_verb(target, what) : unknown("fault", what, known);
}

struct FaultOption {
  std::string_view name;
  std::uint64_t Fault::* field;
};

std::vector<FaultOption> options_of(FaultKind kind) {
  if (is_verb(kind)) return {{"after", &Fault::after}, {"times", &Fault::times}};
  switch (kind) {
    case FaultKind::foreign:
      return {};
    case FaultKind::fatal:
      return {{"ms", &Fault::ms}};
    case FaultKind::reset:
      return {{"ms", &Fault::ms}, {"back", &Fault::back}};
    case FaultKind::delayed:
      return {{"every", &Fault::every}, {"us", &Fault::us}};
    default:
      return {{"every", &Fault::every}};
  }
}

Result<> parse_number(Fault& fault, std::string_view word) {
  const auto equals = std::min(word.find('='), word.size());
  const auto name = word.substr(0, equals);
  const auto options = options_of(fault.kind);
  const auto option = std::ranges::find(options, name, &FaultOption::name);
  if (option == options.end()) {
    if (options.empty()) return fail(Errc::invalid, "this fault has no options");
    std::vector<std::string> known;
    for (const auto& one : options) known.emplace_back(one.name);
    return unknown("option", name, known);
  }
  if (equals == word.size()) return fail(Errc::invalid, fmt::format("use {}=NUMBER", name));
  const auto value = parse_unsigned(word.substr(equals + 1), kMaxNumber);
  if (!value) return because(value.error(), name);
  if (*value == 0 && (name == "every" || name == "times")) {
    return fail(Errc::invalid, fmt::format("{} must be at least 1", name));
  }
  fault.*(option->field) = *value;
  return {};
}

}  // namespace

Result<Fault> Fault::parse(std::string_view text) {
  const auto words = split(text, ',');
  const auto at = words[0].find('=');
  if (at == std::string_view::npos) {
    return fail(Errc::invalid,
                fmt::format("'{}' is not a fault; use TARGET=WHAT, such as rx=drop (see FAULTS in "
                            "manactl-sim(1))",
                            printable(text)));
  }
  auto fault = parse_what(words[0].substr(0, at), words[0].substr(at + 1));
  for (std::size_t i = 1; fault && i < words.size(); ++i) {
    const auto good = parse_number(*fault, words[i]);
    if (!good) return tl::unexpected<Error>(good.error());
  }
  return fault;
}

VerbFaults::VerbFaults(const std::vector<Fault>& faults, FaultCounts& injected)
    : injected_(injected) {
  for (const auto& fault : faults) {
    if (!is_verb(fault.kind) && fault.kind != FaultKind::foreign) continue;
    armed_.push_back(std::make_unique<Armed>());
    armed_.back()->fault = fault;
  }
}

int VerbFaults::inject(Verb verb) {
  int number = 0;
  for (const auto& armed : armed_) {
    const auto& fault = armed->fault;
    if (fault.verb != verb || fault.kind > FaultKind::crash) continue;
    const auto calls = armed->calls.fetch_add(1, std::memory_order_relaxed);
    if (calls < fault.after || calls - fault.after >= fault.times) continue;
    injected_[static_cast<std::size_t>(fault.kind)].fetch_add(1, std::memory_order_relaxed);
    if (fault.kind == FaultKind::crash) std::abort();
    if (fault.kind == FaultKind::hang) hang();
    if (number == 0) number = fault.number;
  }
  return number;
}

bool VerbFaults::is_missing(Verb verb) const {
  return std::ranges::any_of(armed_, [verb](const auto& armed) {
    const auto& fault = armed->fault;
    if (fault.kind == FaultKind::foreign) return verb > Verb::query_device_ex;
    return fault.verb == verb && fault.kind == FaultKind::missing;
  });
}

}  // namespace manactl::adapter
