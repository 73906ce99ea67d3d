// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/hex_dump.h"
#include "cli/log_files.h"
#include "cli/options.h"
#include "cli/render_decode.h"

namespace manactl::cli {
namespace {

using wire::Kind;

constexpr std::string_view kDoorbell = "doorbell";

struct Options {
  const Kind* kind = nullptr;
  std::vector<std::string> input;
  std::optional<std::uint64_t> offset;  // in the doorbell page
  GroupOrder order = GroupOrder::automatic;
  bool explain = false;
  bool lax = false;
  bool list = false;
};

Result<const Kind*> parse_kind(std::string_view text) {
  if (const auto* kind = wire::find_kind(text)) return kind;
  std::vector<std::string> names;
  for (const auto& kind : wire::kinds()) names.emplace_back(kind.name);
  const auto hint = suggestion(text, names);
  return fail(
      Errc::invalid,
      fmt::format(
          "'{}' is no kind{}", printable(text, 40), hint.empty() ? "; --list names them" : hint));
}

// Decimal, or hexadecimal with 0x.
Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t most) {
  const bool is_hex = text.starts_with("0x") && text.size() > 2;
  auto number = is_hex ? parse_hex(text, most) : parse_unsigned(text, most);
  if (number) return number;
  return fail(Errc::invalid,
              fmt::format("'{}' is not a number from 0 to {:#x}", printable(text, 40), most));
}

Result<GroupOrder> parse_order(std::string_view text) {
  if (text == "auto") return GroupOrder::automatic;
  if (text == "bytes") return GroupOrder::bytes;
  if (text == "words") return GroupOrder::words;
  return fail(Errc::invalid,
              fmt::format("'{}' is none of auto, bytes, words", printable(text, 40)));
}

Error unusable(const wire::Refusal& refusal, std::size_t size) {
  auto error = error_of(refusal);
  const bool is_rest = refusal.rule == wire::Rule::length && refusal.value != size;
  if (is_rest) error.message += fmt::format(" (there are {} in all)", size);
  return error;
}

class Decode {
 public:
  Decode(const Options& options, Context& context) : options_(options), context_(context) {}

  Exit run();

 private:
  Result<> choose_kind();
  Result<> read_number();
  Result<> read_bytes();
  Result<HexDump> dump();
  Result<> dissect_all();

  const Options& options_;
  Context& context_;
  const Kind* kind_ = nullptr;
  HexDump dump_;
  DecodeAnswer answer_;
};

Exit Decode::run() {
  if (options_.list) {
    context_.json ? kinds_json(context_.out) : kinds_text(context_.out);
    return Exit::ok;
  }
  auto good = choose_kind();
  if (good) good = kind_->name_of != nullptr ? read_number() : read_bytes();
  if (!good) return report_error(context_, because(good.error(), "decode").value());
  answer_.kind = kind_->name;
  answer_.explain = options_.explain;
  if (context_.json) {
    json(context_.out, answer_);
  } else {
    text(context_.out, answer_, context_.verbosity);
  }
  return answer_.exit;
}

Result<> Decode::choose_kind() {
  kind_ = options_.kind;
  if (kind_ == nullptr) return fail(Errc::invalid, "a kind is missing; --list names them");
  if (kind_->name != kDoorbell) {
    if (!options_.offset) return {};
    return fail(Errc::invalid, fmt::format("--offset is for the kind {}", kDoorbell));
  }
  if (!options_.offset) {
    return fail(Errc::invalid, "a doorbell needs its --offset in the page; cq-doorbell does not");
  }
  kind_ = wire::doorbell_kind(*options_.offset);
  if (kind_ != nullptr) return {};
  return fail(Errc::invalid,
              fmt::format("no doorbell with a known layout is at {:#x}", *options_.offset));
}

Result<> Decode::read_number() {
  if (options_.input.size() != 1) {
    return fail(Errc::invalid, fmt::format("{} needs one number", kind_->name));
  }
  const auto number = parse_number(options_.input.front(), UINT32_MAX);
  if (!number) return tl::unexpected<Error>(number.error());
  wire::Field field;
  field.name = kind_->name;
  field.width = 32;
  field.kind = wire::RowKind::member;
  field.value = *number;
  field.value_name = kind_->name_of(*number);
  wire::Dissection dissection;
  dissection.sections.push_back({kind_->name, 0, {}, {field}, {}});
  answer_.dumps.push_back({std::move(dissection)});
  return {};
}

Result<HexDump> Decode::dump() {
  const auto& input = options_.input;
  if (input.empty()) {
    return fail(
        Errc::invalid,
        "bytes are missing: give them in hexadecimal, or a file, or '-' for standard input");
  }
  const bool is_text = input.size() > 1 || input.front().find_first_of(" \n") != std::string::npos;
  if (is_text || looks_hexadecimal(input.front())) {
    return parse_hex_dump(join(input, " "), options_.order);
  }
  const auto text = read_whole(input.front(), "a dump");
  if (!text) return tl::unexpected<Error>(text.error());
  if (!looks_binary(*text)) return parse_hex_dump(*text, options_.order);
  if (text->size() > kLargestDump) {
    return fail(Errc::invalid, fmt::format("'{}' is more than 1 MiB", printable(input.front())));
  }
  HexDump binary;
  binary.parts.emplace_back(text->begin(), text->end());
  return binary;
}

Result<> Decode::read_bytes() {
  auto dump = this->dump();
  if (!dump) return tl::unexpected<Error>(dump.error());
  dump_ = std::move(*dump);
  answer_.notes = dump_.notes;
  return dissect_all();
}

Result<> Decode::dissect_all() {
  for (const auto& part : dump_.parts) {
    auto all = wire::dissect(*kind_, part);
    if (!all) return tl::unexpected<Error>(unusable(all.error(), part.size()));
    for (const auto& dissection : *all) {
      const auto problems = problems_of(dissection);
      if (problems.empty()) continue;
      answer_.exit = Exit::findings;
      if (options_.lax) continue;
      auto error = error_of(problems.front());
      error.message += all->size() > 1 ? fmt::format(", at byte {}", dissection.at) : "";
      error.message += "; --lax shows it all the same";
      return tl::unexpected<Error>(std::move(error));
    }
    answer_.dumps.push_back(std::move(*all));
  }
  return {};
}

}  // namespace

Run add_decode(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_value(app,
            {"KIND", type::kWire, "what the bytes are; --list names the kinds"},
            into(options->kind, parse_kind));
  add_value(app,
            {"BYTES", type::kBytes, "hexadecimal, a dump, or bytes; '-' is standard input", true},
            [options](const std::string& text) -> Result<> {
              if (text.empty()) return fail(Errc::invalid, "'' is neither hexadecimal nor a file");
              options->input.push_back(text);
              return {};
            })
      ->allow_extra_args(true);
  add_flag(app, "--explain", options->explain, "say what errors and statuses mean, and what to do");
  add_flag(app, "--lax", options->lax, "show what breaks the rules, too, and exit with 1");
  add_flag(app, "--list", options->list, "name the kinds and end");
  add_value(app,
            {"--offset", "N", "where in its page the doorbell is"},
            [options](const std::string& text) -> Result<> {
              const auto number = parse_number(text, 0xfff);
              if (!number) return tl::unexpected<Error>(number.error());
              options->offset = *number;
              return {};
            });
  add_value(app,
            {"--order", type::kOrder, "how groups of more than two digits are read"},
            into(options->order, parse_order));
  return [options](Context& context) { return Decode(*options, context).run(); };
}

}  // namespace manactl::cli
