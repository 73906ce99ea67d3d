// SPDX-License-Identifier: MIT

#include "device/fault_plan.h"

#include "base/text.h"
#include "wire/messages.h"

namespace manactl::device {
namespace {

Result<std::uint32_t> parse_code(std::string_view text) {
  if (text == "establish") return kFaultEstablish;
  if (text == "destroy") return kFaultDestroy;
  if (text == "any") return kFaultAny;
  if (const auto command = value_of(wire::members(wire::Command{}), text)) {
    return static_cast<std::uint32_t>(*command);
  }
  const bool hexadecimal = text.starts_with("0x");
  const auto number = hexadecimal ? parse_hex(text, UINT32_MAX) : parse_unsigned(text, UINT32_MAX);
  if (!number)
    return fail(
        Errc::invalid,
        fmt::format("unknown request '{}', expected its name or number, establish, destroy or any",
                    printable(text)));
  return static_cast<std::uint32_t>(*number);
}

Result<> parse_action(std::string_view text, Fault& fault) {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  const bool has_status = colon != std::string_view::npos;
  if (name == "refuse" || name == "status") {
    fault.kind = name == "refuse" ? FaultKind::refuse : FaultKind::status;
    const auto status = parse_hex(has_status ? text.substr(colon + 1) : "", UINT32_MAX);
    if (!status)
      return because(status.error(), fmt::format("hexadecimal status in '{}'", printable(text)));
    fault.status = static_cast<std::uint32_t>(*status);
    return {};
  }
  if (text == "ignore") {
    fault.kind = FaultKind::ignore;
  } else if (text == "no-response") {
    fault.kind = FaultKind::no_response;
  } else if (text == "short") {
    fault.kind = FaultKind::truncate;
  } else {
    return fail(Errc::invalid,
                fmt::format("unknown action '{}', expected refuse:STATUS, status:STATUS, ignore, "
                            "no-response or short",
                            printable(text)));
  }
  return {};
}

Result<> parse_count(std::string_view text, Fault& fault) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  if (equals == std::string_view::npos || (name != "after" && name != "times")) {
    return fail(Errc::invalid,
                fmt::format("unknown '{}', expected after=N or times=N", printable(text)));
  }
  const auto number = parse_unsigned(text.substr(equals + 1));
  if (!number) return tl::unexpected<Error>(number.error());
  (name == "after" ? fault.after : fault.times) = *number;
  return {};
}

}  // namespace

Result<Fault> Fault::parse(std::string_view text) {
  const auto equals = text.find('=');
  const auto context = fmt::format("fault '{}'", printable(text));
  if (equals == std::string_view::npos) {
    return because({Errc::invalid, 0, "expected CODE=ACTION"}, context);
  }
  const auto code = parse_code(text.substr(0, equals));
  if (!code) return because(code.error(), context);
  Fault fault;
  fault.code = *code;
  const auto pieces = split(text.substr(equals + 1), ',');
  auto parsed = parse_action(pieces.front(), fault);
  for (std::size_t i = 1; parsed && i < pieces.size(); ++i) parsed = parse_count(pieces[i], fault);
  if (!parsed) return because(parsed.error(), context);
  const bool shared = fault.code == kFaultEstablish || fault.code == kFaultDestroy;
  if (shared && fault.status > 0xff) {
    return because({Errc::invalid, 0, "the status of the shared-memory channel is at most 0xff"},
                   context);
  }
  return fault;
}

std::optional<Fault> FaultPlan::find(std::uint32_t code) {
  std::optional<Fault> found;
  for (auto& [fault, messages] : armed_) {
    const bool shared = code == kFaultEstablish || code == kFaultDestroy;
    if (fault.code != code && (fault.code != kFaultAny || shared)) continue;
    const auto index = messages++;
    if (!found && index >= fault.after && index - fault.after < fault.times) found = fault;
  }
  return found;
}

}  // namespace manactl::device
