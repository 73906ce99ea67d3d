// SPDX-License-Identifier: MIT

#include "diag/counter_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/characters.h"
#include "base/json_fields.h"

namespace manactl::diag {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_in_word(char c) {
  return is_alphanumeric(c) || c == '_';
}

std::size_t count_blanks(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_blank);
  return static_cast<std::size_t>(end - text.begin());
}

CounterPattern pattern_of(const JsonFields& row, const char* key, std::string_view text) {
  auto pattern = CounterPattern::parse(text);
  if (!pattern) row.refuse(key, fmt::format("cannot be '{}'", text));
  return pattern.value_or(CounterPattern());
}

}  // namespace

std::optional<CounterPattern::Part> CounterPattern::placeholder(std::string_view name) {
  if (name.empty()) return Part{Kind::number};
  if (name == "*") return Part{Kind::word};
  if (name == "device") return Part{Kind::device};
  const auto counter = value_of(kCounters, name);
  if (!counter) return std::nullopt;
  return Part{Kind::counter, {}, *counter};
}

std::optional<CounterPattern> CounterPattern::parse(std::string_view text) {
  constexpr std::string_view kAnyWord = "...";
  CounterPattern pattern;
  pattern.matches_at_any_word_ = text.starts_with(kAnyWord);
  pattern.has_two_lines_ = text.find('\n') != std::string_view::npos;
  if (pattern.matches_at_any_word_) text.remove_prefix(kAnyWord.size());
  while (!text.empty()) {
    if (text.front() == ' ') {
      pattern.parts_.push_back({Kind::blanks});
      text.remove_prefix(count_blanks(text));
      continue;
    }
    const auto close = text.find('}');
    const auto part = text.front() == '{' && close != std::string_view::npos
                          ? placeholder(text.substr(1, close - 1))
                          : std::nullopt;
    if (part) {
      pattern.parts_.push_back(*part);
      text.remove_prefix(close + 1);
      continue;
    }
    // Other braces are text, as in JSON.
    const bool is_name = text.front() == '{' && close != std::string_view::npos &&
                         std::ranges::all_of(text.substr(1, close - 1), is_in_word);
    if (is_name) return std::nullopt;
    const auto end = std::min(text.find_first_of(" {", 1), text.size());
    pattern.parts_.push_back({Kind::text, std::string(text.substr(0, end))});
    text.remove_prefix(end);
  }
  const bool is_valid = !pattern.parts_.empty() && (!pattern.matches_at_any_word_ ||
                                                    pattern.parts_.front().kind == Kind::text);
  return is_valid ? std::optional(std::move(pattern)) : std::nullopt;
}

bool CounterPattern::match_here(std::string_view rest, CounterRow& row) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& part = parts_[i];
    std::size_t size = 0;
    switch (part.kind) {
      case Kind::text:
        if (!rest.starts_with(part.text)) return false;
        size = part.text.size();
        break;
      case Kind::blanks:
        size = count_blanks(rest);
        break;
      case Kind::number:
      case Kind::counter: {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        const bool is_unknown = rest.starts_with('?');
        if (error != std::errc() && !is_unknown) return false;
        size = is_unknown ? 1 : static_cast<std::size_t>(end - rest.data());
        if (part.kind == Kind::counter && !is_unknown) row.values.emplace_back(part.counter, value);
        break;
      }
      case Kind::word:
      case Kind::device: {
        size = static_cast<std::size_t>(std::ranges::find_if(rest, is_blank) - rest.begin());
        const bool has_end = i + 1 < parts_.size() && parts_[i + 1].kind == Kind::text;
        if (has_end) size = std::min(size, rest.find(parts_[i + 1].text));
        if (part.kind == Kind::device) row.device = rest.substr(0, size);
        break;
      }
    }
    if (size == 0) return false;
    rest.remove_prefix(size);
  }
  return true;
}

bool CounterPattern::match(std::string_view line, CounterRow& row) const {
  const auto values = row.values.size();
  const auto device = row.device;
  const auto matches = [&](std::string_view rest) {
    if (match_here(rest, row)) return true;
    row.values.resize(values);
    row.device = device;
    return false;
  };
  if (parts_.empty()) return false;
  if (!matches_at_any_word_) return matches(line.substr(count_blanks(line)));
  const auto& text = parts_.front().text;
  for (auto at = line.find(text); at != std::string_view::npos; at = line.find(text, at + 1)) {
    const bool begins_word = at == 0 || !is_in_word(line[at - 1]) || !is_in_word(text.front());
    if (begins_word && matches(line.substr(at))) return true;
  }
  return false;
}

Result<std::vector<CounterFormat>> parse_counter_formats(std::string_view json) {
  JsonDocument document(json);
  if (!document.is_json()) return fail(Errc::invalid, "cannot read the counters: not JSON");
  std::vector<CounterFormat> formats;
  for (const auto& row : document.root().objects("counters")) {
    auto& format = formats.emplace_back();
    format.program = row.text("program");
    format.literals = row.texts("literals");
    format.begin = pattern_of(row, "begin", row.text("begin"));
    if (row.has("names")) format.names = pattern_of(row, "names", row.text("names"));
    for (const auto& text : row.texts("rows")) format.rows.push_back(pattern_of(row, "rows", text));
    format.gap = row.number_or_zero("gap");
    format.has_last_row = row.flag_or_false("has_last_row");
    format.has_deltas = row.flag_or_false("has_deltas");
    format.is_port = row.flag_or_false("is_port");
  }
  if (document.error().empty()) return formats;
  return fail(Errc::invalid, "cannot read the counters: " + document.error());
}

}  // namespace manactl::diag
