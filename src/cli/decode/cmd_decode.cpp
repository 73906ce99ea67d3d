// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/decode/field_view.h"
#include "cli/decode/hex_dump.h"
#include "cli/decode/render_decode.h"
#include "cli/input.h"
#include "cli/options.h"

namespace manactl::cli {
namespace {

using wire::Kind;

constexpr std::string_view kDoorbell = "doorbell";

struct DecodeOptions {
  const Kind* kind = nullptr;
  std::vector<std::string> input;
  std::optional<std::uint64_t> offset;  // in the doorbell page
  std::optional<GroupOrder> order;
  bool explain = false;
  bool lax = false;
  bool list = false;
};

Result<const Kind*> parse_kind(std::string_view text) {
  if (const auto* kind = wire::find_kind(text)) return kind;
  std::vector<std::string> names;
  for (const auto& kind : wire::kinds()) names.emplace_back(kind.name);
  // "sqe" and "rqe" are other names of "sq-wqe" and "rq-wqe".
  if (text == "sqe" || text == "rqe") {
    return fail(Errc::invalid,
                fmt::format("'{0}' is not a kind; did you mean '{1}q-wqe'?", text, text.front()));
  }
  // "wqe" stands for several kinds.
  std::vector<std::string> longer;
  for (const auto& name : names) {
    const bool is_queue = name.ends_with(fmt::format("q-{}", text));
    if (is_queue) longer.push_back(fmt::format("'{}'", name));
  }
  const auto hint = longer.empty() ? suggestion(text, names)
                                   : fmt::format("; did you mean {}?", join(longer, " or "));
  return fail(
      Errc::invalid,
      fmt::format("'{}' is not a kind{}", printable(text), hint.empty() ? "; see --list" : hint));
}

// Parses a decimal number, or a hexadecimal number with the prefix 0x.
Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t max) {
  const bool is_hex = text.starts_with("0x") && text.size() > 2;
  auto number = is_hex ? parse_hex(text, max) : parse_unsigned(text, max);
  if (number) return number;
  return fail(Errc::invalid,
              fmt::format("'{}' is not a number from 0 to {:#x}", printable(text), max));
}

constexpr EnumWords<GroupOrder, 3> kOrders = {
    {{GroupOrder::automatic, "auto"}, {GroupOrder::bytes, "bytes"}, {GroupOrder::words, "words"}}};

// Returns the error for a dump of `size` bytes that cannot be dissected.
Error dissect_error(const wire::Refusal& refusal, std::size_t size) {
  auto error = error_of(refusal);
  const bool is_rest = refusal.rule == wire::Rule::length && refusal.value != size;
  if (is_rest) error.message += fmt::format(" (the dump has {} bytes)", size);
  return error;
}

class DecodeCommand {
 public:
  DecodeCommand(const DecodeOptions& options, Context& context)
      : options_(options), context_(context) {}

  Exit run();

 private:
  Result<> choose_kind();
  Result<> read_number();
  Result<> read_bytes();
  Result<HexDump> parse_input();
  Result<> dissect_all();

  const DecodeOptions& options_;
  Context& context_;
  const Kind* kind_ = nullptr;
  HexDump dump_;
  DecodeResult result_;
  Exit exit_ = Exit::ok;
};

Exit DecodeCommand::run() {
  const bool has_more = options_.kind != nullptr || options_.offset || options_.order ||
                        options_.explain || options_.lax;
  if (options_.list && has_more) {
    return report_usage_error(context_, "decode: --list takes no other arguments");
  }
  if (options_.list) {
    context_.json ? print_kinds_json(context_.out) : print_kinds_text(context_.out);
    return Exit::ok;
  }
  context_.sandbox.read = options_.input;  // hex digits among them get no rule
  confine(context_);
  auto good = choose_kind();
  if (good) good = kind_->name_of != nullptr ? read_number() : read_bytes();
  if (!good) return report_error(context_, because(good.error(), "decode").value());
  result_.kind = kind_->name;
  result_.explain = options_.explain;
  context_.json ? print_json(context_.out, result_, exit_)
                : print_text(context_.out, result_, context_.verbosity);
  return exit_;
}

Result<> DecodeCommand::choose_kind() {
  kind_ = options_.kind;
  if (kind_ == nullptr) return fail(Errc::invalid, "KIND is missing; see --list");
  if (kind_->name != kDoorbell) {
    if (!options_.offset) return {};
    return fail(Errc::invalid, fmt::format("--offset applies only to the kind {}", kDoorbell));
  }
  if (!options_.offset) {
    return fail(Errc::invalid,
                "doorbell requires --offset; for a completion queue use cq-doorbell");
  }
  kind_ = wire::doorbell_kind(*options_.offset);
  if (kind_ != nullptr) return {};
  return fail(Errc::invalid,
              fmt::format("offset {:#x} has no doorbell with a known layout", *options_.offset));
}

Result<> DecodeCommand::read_number() {
  if (options_.input.size() != 1) {
    return fail(Errc::invalid, fmt::format("{} requires one number", kind_->name));
  }
  if (options_.order || options_.lax) {
    return fail(Errc::invalid,
                fmt::format("{} applies only to bytes; {} is a number",
                            options_.order ? "--order" : "--lax",
                            kind_->name));
  }
  const auto number = parse_number(options_.input.front(), UINT32_MAX);
  if (!number) return tl::unexpected<Error>(number.error());
  wire::Field field;
  field.name = kind_->name;
  field.width = 32;
  field.kind = wire::RowKind::member;
  field.value = *number;
  field.value_name = kind_->name_of(*number);
  // Devices may use any status or vendor error.
  const bool is_open = kind_->name == "status" || kind_->name == "vendor-error";
  if (field.value_name.empty() && !is_open) exit_ = Exit::findings;
  wire::Dissection dissection;
  dissection.sections.push_back({kind_->name, 0, {}, {field}, {}});
  result_.dumps.push_back({std::move(dissection)});
  return {};
}

Result<HexDump> DecodeCommand::parse_input() {
  const auto& input = options_.input;
  if (input.empty()) {
    return fail(Errc::invalid,
                "BYTES are missing: give hexadecimal digits, a file, or '-' for standard input");
  }
  const auto order = options_.order.value_or(GroupOrder::automatic);
  const bool is_text = input.size() > 1 || input.front().find_first_of(" \n") != std::string::npos;
  if (is_text || looks_hexadecimal(input.front())) {
    return parse_hex_dump(join(input, " "), order);
  }
  const auto text = read_input(input.front(), "a dump", kMaxDumpText);
  if (!text) return tl::unexpected<Error>(text.error());
  if (!looks_binary(*text)) return parse_hex_dump(*text, order);
  if (text->size() > kMaxDump) {
    return fail(Errc::invalid, fmt::format("'{}' is larger than 1 MiB", printable(input.front())));
  }
  HexDump binary;
  binary.parts.emplace_back(text->begin(), text->end());
  return binary;
}

Result<> DecodeCommand::read_bytes() {
  auto dump = parse_input();
  if (!dump) return tl::unexpected<Error>(dump.error());
  dump_ = std::move(*dump);
  result_.notes = dump_.notes;
  return dissect_all();
}

Result<> DecodeCommand::dissect_all() {
  for (const auto& part : dump_.parts) {
    auto all = wire::dissect(*kind_, part);
    if (!all) return tl::unexpected<Error>(dissect_error(all.error(), part.size()));
    for (const auto& dissection : *all) {
      const auto problems = problems_of(dissection);
      if (has_unknown_code(dissection)) exit_ = Exit::findings;
      if (problems.empty()) continue;
      exit_ = Exit::findings;
      if (options_.lax) continue;
      auto error = error_of(problems.front());
      error.message += all->size() > 1 ? fmt::format(", at byte {}", dissection.at) : "";
      error.message += "; use --lax to show it anyway";
      return tl::unexpected<Error>(std::move(error));
    }
    result_.dumps.push_back(std::move(*all));
  }
  return {};
}

}  // namespace

CommandAction add_decode(CLI::App& app) {
  auto options = std::make_shared<DecodeOptions>();
  add_value(app,
            {"KIND", type::kWireKind, "decode this kind of record (see --list)"},
            store_in(options->kind, parse_kind));
  add_value(app,
            {"BYTES", type::kBytes, "decode this hex dump or file ('-': standard input)", true},
            [options](const std::string& text) -> Result<> {
              if (text.empty()) return fail(Errc::invalid, "'' is neither hexadecimal nor a file");
              options->input.push_back(text);
              return {};
            })
      ->allow_extra_args(true);
  add_flag(
      app, "--explain", options->explain, "explain error and status codes, and suggest actions");
  add_flag(app, "--lax", options->lax, "show records that break the rules, and exit with 1");
  add_flag(app, "--list", options->list, "list the kinds and exit");
  add_value(app,
            {"--offset", "N", "set the offset of the doorbell in its page"},
            [options](const std::string& text) -> Result<> {
              const auto number = parse_number(text, 0xfff);
              if (!number) return tl::unexpected<Error>(number.error());
              options->offset = *number;
              return {};
            });
  add_value(app,
            {"--order", type::kOrder, "set the byte order in groups of more than two digits"},
            store_word_in(options->order, kOrders));
  return [options](Context& context) { return DecodeCommand(*options, context).run(); };
}

}  // namespace manactl::cli
