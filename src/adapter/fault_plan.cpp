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

constexpr std::array<std::string_view, kVerbs> kVerbNames = {"get_device_list",
                                                             "open_device",
                                                             "alloc_pd",
                                                             "reg_mr",
                                                             "create_cq",
                                                             "create_qp",
                                                             "create_comp_channel",
                                                             "set_context_attr",
                                                             "init_obj",
                                                             "query_device_ex",
                                                             "alloc_parent_domain",
                                                             "create_wq",
                                                             "create_rwq_ind_table",
                                                             "create_qp_ex"};

constexpr std::pair<std::string_view, int> kErrors[] = {{"EPERM", EPERM},
                                                        {"ENOENT", ENOENT},
                                                        {"EIO", EIO},
                                                        {"EAGAIN", EAGAIN},
                                                        {"ENOMEM", ENOMEM},
                                                        {"EACCES", EACCES},
                                                        {"EBUSY", EBUSY},
                                                        {"ENODEV", ENODEV},
                                                        {"EINVAL", EINVAL},
                                                        {"ENOSPC", ENOSPC},
                                                        {"EPROTO", EPROTO},
                                                        {"EOPNOTSUPP", EOPNOTSUPP},
                                                        {"ETIMEDOUT", ETIMEDOUT}};

[[noreturn]] void hang() {
  for (;;) pause();
}

tl::unexpected<Error> unknown(std::string_view what,
                              std::string_view word,
                              const std::vector<std::string>& known) {
  const auto near = nearest(word, known);
  return fail(Errc::invalid,
              fmt::format("{} '{}' is not known{}",
                          what,
                          printable(word),
                          near.empty() ? std::string() : fmt::format(", '{}' is", near)));
}

// Times in milliseconds fit their clocks then.
constexpr std::uint64_t kMostNumber = UINT64_MAX / 10'000'000;

bool is_verb(FaultKind kind) {
  return kind <= FaultKind::missing;
}

bool may_be_missing(Verb verb) {
  return verb >= Verb::query_device_ex;
}

Result<Fault> parse_error(Fault fault, std::string_view name) {
  for (const auto& [text, number] : kErrors) {
    if (text != name) continue;
    fault.number = number;
    return fault;
  }
  std::vector<std::string> known;
  for (const auto& entry : kErrors) known.emplace_back(entry.first);
  return unknown("error", name, known);
}

Result<Fault> parse_verb(std::string_view name, std::string_view what) {
  const auto* found = std::ranges::find(kVerbNames, name);
  if (found == kVerbNames.end()) {
    std::vector<std::string> known(kVerbNames.begin(), kVerbNames.end());
    known.insert(known.end(), {"tx", "rx", "cq", "doorbell", "device", "provider"});
    return unknown("target of a fault", name, known);
  }
  Fault fault;
  fault.verb = static_cast<Verb>(found - kVerbNames.begin());
  if (what.starts_with("errno:")) return parse_error(fault, what.substr(6));
  if (what == "hang" || what == "crash") {
    fault.kind = what == "hang" ? FaultKind::hang : FaultKind::crash;
    return fault;
  }
  if (what != "missing") return unknown("fault", what, {"errno:", "hang", "crash", "missing"});
  if (!may_be_missing(fault.verb)) {
    return fail(Errc::invalid,
                fmt::format("{} belongs to the library and cannot be missing", name));
  }
  fault.kind = FaultKind::missing;
  return fault;
}

Result<Fault> parse_tx(std::string_view what) {
  const auto number = parse_unsigned(what, 63);
  const auto type = static_cast<wire::CqeType>(number.value_or(0));
  if (type <= wire::CqeType::tx_okay || wire::name_of(type).empty()) {
    return fail(Errc::invalid,
                fmt::format("'{}' is no type of a failed transmission: 33 to 42", printable(what)));
  }
  Fault fault;
  fault.kind = FaultKind::tx_error;
  fault.number = static_cast<int>(*number);
  return fault;
}

Result<Fault> parse_what(std::string_view target, std::string_view what) {
  struct Word {
    std::string_view target, what;
    FaultKind kind;
  };

  static constexpr Word kWords[] = {{"rx", "truncate", FaultKind::truncate},
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
  for (const auto& word : kWords) {
    if (word.target != target) continue;
    if (word.what == what) return Fault{.kind = word.kind};
    known.emplace_back(word.what);
  }
  return known.empty() ? parse_verb(target, what) : unknown("fault", what, known);
}

// The number that a fault may carry under this name.
std::uint64_t* field_of(Fault& fault, std::string_view name) {
  const bool device = fault.kind == FaultKind::fatal || fault.kind == FaultKind::reset;
  const bool counted = !is_verb(fault.kind) && !device && fault.kind != FaultKind::foreign;
  if (is_verb(fault.kind) && name == "after") return &fault.after;
  if (is_verb(fault.kind) && name == "times") return &fault.times;
  if (counted && name == "every") return &fault.every;
  if (fault.kind == FaultKind::delayed && name == "us") return &fault.us;
  if (device && name == "ms") return &fault.ms;
  if (fault.kind == FaultKind::reset && name == "back") return &fault.back;
  return nullptr;
}

Result<> parse_number(Fault& fault, std::string_view word) {
  const auto pieces = split(word, '=');
  auto* const field = pieces.empty() ? nullptr : field_of(fault, pieces[0]);
  if (field == nullptr || pieces.size() != 2) {
    return fail(Errc::invalid, fmt::format("'{}' does not belong to this fault", printable(word)));
  }
  const auto value = parse_unsigned(pieces[1], kMostNumber);
  if (!value) return because(value.error(), pieces[0]);
  if (*value == 0 && (field == &fault.every || field == &fault.times)) {
    return fail(Errc::invalid, fmt::format("{} is at least 1", pieces[0]));
  }
  *field = *value;
  return {};
}

}  // namespace

std::string_view name_of(Verb verb) {
  return kVerbNames[static_cast<std::size_t>(verb)];
}

Result<Fault> Fault::parse(std::string_view text) {
  const auto words = split(text, ',');
  const auto at = words[0].find('=');
  if (at == std::string_view::npos) {
    return fail(Errc::invalid,
                fmt::format("'{}' is no fault: TARGET=WHAT is needed", printable(text)));
  }
  auto fault = parse_what(words[0].substr(0, at), words[0].substr(at + 1));
  for (std::size_t i = 1; fault && i < words.size(); ++i) {
    const auto good = parse_number(*fault, words[i]);
    if (!good) return tl::unexpected<Error>(good.error());
  }
  return fault;
}

VerbFaults::VerbFaults(const std::vector<Fault>& faults) {
  for (const auto& fault : faults) {
    if (!is_verb(fault.kind) && fault.kind != FaultKind::foreign) continue;
    armed_.push_back(std::make_unique<Armed>());
    armed_.back()->fault = fault;
  }
}

int VerbFaults::strike(Verb verb) {
  int number = 0;
  for (const auto& armed : armed_) {
    const auto& fault = armed->fault;
    if (fault.verb != verb || fault.kind > FaultKind::crash) continue;
    const auto seen = armed->seen.fetch_add(1, std::memory_order_relaxed);
    if (seen < fault.after || seen - fault.after >= fault.times) continue;
    if (fault.kind == FaultKind::crash) std::abort();
    if (fault.kind == FaultKind::hang) hang();
    if (number == 0) number = fault.number;
  }
  return number;
}

bool VerbFaults::missing(Verb verb) const {
  return std::ranges::any_of(armed_, [verb](const auto& armed) {
    const auto& fault = armed->fault;
    if (fault.kind == FaultKind::foreign) return verb > Verb::query_device_ex;
    return fault.verb == verb && fault.kind == FaultKind::missing;
  });
}

}  // namespace manactl::adapter
