// SPDX-License-Identifier: MIT

#include "azure/model/fault_plan.h"

#include <algorithm>

#include "base/text.h"
#include "wire/messages.h"

namespace manactl::azure {
namespace {

Result<std::uint32_t> parse_code(std::string_view text) {
  if (text == "establish") return kFaultEstablish;
  if (text == "destroy") return kFaultDestroy;
  if (text == "any") return kFaultAny;
  for (const auto& command : wire::members(wire::Command{})) {
    if (command.name == text) return static_cast<std::uint32_t>(command.value);
  }
  const bool hexadecimal = text.starts_with("0x");
  const auto number = hexadecimal ? parse_hex(text, UINT32_MAX) : parse_unsigned(text, UINT32_MAX);
  if (!number) return fail(Errc::invalid, fmt::format("no message '{}'", printable(text)));
  return static_cast<std::uint32_t>(*number);
}

Result<> parse_action(std::string_view text, Fault& fault) {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  const bool has_status = colon != std::string_view::npos;
  if (name == "refuse" || name == "status") {
    fault.kind = name == "refuse" ? FaultKind::refuse : FaultKind::status;
    const auto status = parse_hex(has_status ? text.substr(colon + 1) : "", UINT32_MAX);
    if (!status) return because(status.error(), fmt::format("status of '{}'", printable(text)));
    fault.status = static_cast<std::uint32_t>(*status);
    return {};
  }
  if (text == "silent") {
    fault.kind = FaultKind::silent;
  } else if (text == "late") {
    fault.kind = FaultKind::late;
  } else if (text == "short") {
    fault.kind = FaultKind::truncate;
  } else {
    return fail(Errc::invalid, fmt::format("no fault '{}'", printable(text)));
  }
  return {};
}

Result<> parse_count(std::string_view text, Fault& fault) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  if (equals == std::string_view::npos || (name != "after" && name != "times")) {
    return fail(Errc::invalid, fmt::format("no count '{}'", printable(text)));
  }
  const auto number = parse_unsigned(text.substr(equals + 1));
  if (!number) return tl::unexpected<Error>(number.error());
  (name == "after" ? fault.after : fault.times) = *number;
  return {};
}

}  // namespace

Result<Fault> Fault::parse(std::string_view text) {
  const auto equals = text.find('=');
  const auto doing = fmt::format("fault '{}'", printable(text));
  if (equals == std::string_view::npos) {
    return because({Errc::invalid, 0, "CODE=ACTION expected"}, doing);
  }
  const auto code = parse_code(text.substr(0, equals));
  if (!code) return because(code.error(), doing);
  Fault fault;
  fault.code = *code;
  const auto pieces = split(text.substr(equals + 1), ',');
  auto parsed = parse_action(pieces.front(), fault);
  for (std::size_t i = 1; parsed && i < pieces.size(); ++i) parsed = parse_count(pieces[i], fault);
  if (!parsed) return because(parsed.error(), doing);
  const bool shared = fault.code == kFaultEstablish || fault.code == kFaultDestroy;
  if (shared && fault.status > 0xff) {
    return because({Errc::invalid, 0, "the status has 8 bits here"}, doing);
  }
  return fault;
}

Result<> FaultPlan::replace_late(std::string_view text) {
  if (text == late_text_) return {};
  std::vector<Armed> fresh;
  for (const auto line : split(text, '\n')) {
    const auto word = trim(line);
    if (word.empty() || word.starts_with('#')) continue;
    const auto fault = Fault::parse(word);
    if (!fault) return tl::unexpected<Error>(fault.error());
    const auto old = std::ranges::find(late_, *fault, &Armed::fault);
    fresh.push_back({*fault, old == late_.end() ? 0 : old->seen});
  }
  late_ = std::move(fresh);
  late_text_ = text;
  return {};
}

std::optional<Fault> FaultPlan::strike(std::vector<Armed>& armed, std::uint32_t code) {
  std::optional<Fault> hit;
  for (auto& [fault, seen] : armed) {
    const bool shared = code == kFaultEstablish || code == kFaultDestroy;
    if (fault.code != code && (fault.code != kFaultAny || shared)) continue;
    const auto turn = seen++;
    if (!hit && turn >= fault.after && turn - fault.after < fault.times) hit = fault;
  }
  return hit;
}

std::optional<Fault> FaultPlan::strike(std::uint32_t code) {
  const auto first = strike(late_, code);
  const auto second = strike(armed_, code);
  return first ? first : second;
}

}  // namespace manactl::azure
