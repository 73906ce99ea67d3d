// SPDX-License-Identifier: MIT

#include "diag/signature_set.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "diag/literal_scanner.h"
#include "diag/required_literals.h"
#include "host/ticket/ticket.h"

namespace manactl::embedded {
extern const std::string_view counters_json;
extern const std::string_view signatures_json;
}  // namespace manactl::embedded

namespace manactl::diag {
namespace {

using Texts = std::vector<std::string>;

// A literal must have this many bytes: shorter ones occur in too many lines.
constexpr std::size_t kMinLiteral = 8;

struct Expression {
  std::unique_ptr<re2::RE2> regex;
  int groups = 0;
};

struct Found {
  std::size_t expression = 0;
  std::size_t begin = 0, end = 0;
  std::vector<re2::StringPiece> groups;
};

bool overlap(const Found& one, const Found& other) {
  return one.begin < other.end && other.begin < one.end;
}

Result<Expression> compile(const Signature& signature) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // logs need not be UTF-8
  Expression expression{std::make_unique<re2::RE2>(signature.match, options)};
  if (!expression.regex->ok()) {
    return fail(Errc::invalid,
                fmt::format("signature '{}': {}", signature.id, expression.regex->error()));
  }
  expression.groups = expression.regex->NumberOfCapturingGroups();
  return expression;
}

// The literals of all signatures, and the signatures that need each of them.
struct LiteralIndex {
  Texts texts;
  std::vector<std::vector<std::size_t>> owners;  // for each text: indexes of signatures
  std::vector<bool> is_of_counters;              // for each text
};

Result<LiteralIndex> index_literals(const std::vector<Signature>& signatures,
                                    const std::vector<CounterFormat>& formats) {
  std::map<std::string, std::vector<std::size_t>> by_text;
  for (const auto& format : formats) {
    for (const auto& text : format.literals) by_text[text];
  }
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    if (is_rule(signatures[i])) continue;  // no line matches it
    const auto name = fmt::format("signature '{}'", signatures[i].id);
    auto literals = required_literals(signatures[i].match);
    if (!literals) return because(literals.error(), name);
    const auto is_short = [](const auto& text) { return text.size() < kMinLiteral; };
    if (literals->empty() || std::ranges::any_of(*literals, is_short)) {
      return fail(
          Errc::invalid,
          fmt::format(
              "{}: each alternative of the pattern needs at least {} literal characters in a row",
              name,
              kMinLiteral));
    }
    for (const auto& text : *literals) by_text[text].push_back(i);
  }
  LiteralIndex index;
  for (auto& [text, owners] : by_text) {
    const auto has_text = [&text = text](const CounterFormat& format) {
      return std::ranges::find(format.literals, text) != format.literals.end();
    };
    index.texts.push_back(text);
    index.is_of_counters.push_back(std::ranges::any_of(formats, has_text));
    index.owners.push_back(std::move(owners));
  }
  return index;
}

}  // namespace

struct SignatureSet::Compiled {
  std::vector<Signature> signatures;
  std::vector<CounterFormat> formats;
  std::vector<Expression> expressions;  // same indexes as `signatures`
  LiteralIndex literals;
  LiteralScanner scanner;

  std::optional<Found> run(std::size_t index, std::string_view line) const;
  Match match_of(const Found& found) const;
};

std::optional<Found> SignatureSet::Compiled::run(std::size_t index, std::string_view line) const {
  const auto& expression = expressions[index];
  Found found;
  found.expression = index;
  found.groups.resize(static_cast<std::size_t>(expression.groups) + 1);
  if (!expression.regex->Match(re2::StringPiece(line.data(), line.size()),
                               0,
                               line.size(),
                               re2::RE2::UNANCHORED,
                               found.groups.data(),
                               static_cast<int>(found.groups.size()))) {
    return std::nullopt;
  }
  found.begin = static_cast<std::size_t>(found.groups[0].data() - line.data());
  found.end = found.begin + found.groups[0].size();
  return found;
}

Match SignatureSet::Compiled::match_of(const Found& found) const {
  Match match{&signatures[found.expression], {}};
  for (const auto& [number, name] : expressions[found.expression].regex->CapturingGroupNames()) {
    const auto& text = found.groups[static_cast<std::size_t>(number)];
    if (text.data() != nullptr)
      match.captures.emplace_back(name, std::string(text.data(), text.size()));
  }
  return match;
}

SignatureSet::SignatureSet(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}

SignatureSet::SignatureSet(SignatureSet&&) noexcept = default;
SignatureSet& SignatureSet::operator=(SignatureSet&&) noexcept = default;
SignatureSet::~SignatureSet() = default;

Result<SignatureSet> SignatureSet::load() {
  return parse(embedded::signatures_json);
}

Result<SignatureSet> SignatureSet::parse(std::string_view json) {
  auto signatures = parse_signatures(json);
  if (!signatures) return tl::unexpected(signatures.error());
  auto formats = parse_counter_formats(embedded::counters_json);
  if (!formats) return tl::unexpected(formats.error());
  auto literals = index_literals(*signatures, *formats);
  if (!literals) return tl::unexpected(literals.error());
  std::vector<Expression> expressions;
  for (const auto& signature : *signatures) {
    auto expression = compile(signature);
    if (!expression) return tl::unexpected(expression.error());
    expressions.push_back(std::move(*expression));
  }
  // One search finds both the lines of signatures and those of pasted outputs.
  for (auto& text : host::ticket_literals()) {
    literals->texts.push_back(std::move(text));
    literals->owners.emplace_back();
  }
  LiteralScanner scanner(literals->texts, LiteralScanner::Case::exact);
  return SignatureSet(std::make_unique<Compiled>(Compiled{std::move(*signatures),
                                                          std::move(*formats),
                                                          std::move(expressions),
                                                          std::move(*literals),
                                                          std::move(scanner)}));
}

const std::vector<Signature>& SignatureSet::all() const {
  return compiled_->signatures;
}

const std::vector<CounterFormat>& SignatureSet::counter_formats() const {
  return compiled_->formats;
}

const Signature* SignatureSet::find(std::string_view id) const {
  const auto found = std::ranges::find(compiled_->signatures, id, &Signature::id);
  return found == compiled_->signatures.end() ? nullptr : &*found;
}

std::size_t SignatureSet::next_candidate(std::string_view block, std::size_t from) const {
  return compiled_->scanner.next(block, from).at;
}

std::vector<std::uint32_t> SignatureSet::texts_in(std::string_view line) const {
  return compiled_->scanner.all_in(line);
}

bool SignatureSet::may_begin_counters(const std::vector<std::uint32_t>& texts) const {
  return std::ranges::any_of(
      texts, [this](auto text) { return compiled_->literals.is_of_counters[text]; });
}

std::vector<Match> SignatureSet::matches(std::string_view line,
                                         const std::vector<std::uint32_t>& texts) const {
  std::set<std::size_t> candidates;
  for (const auto text : texts) {
    const auto& owners = compiled_->literals.owners[text];
    candidates.insert(owners.begin(), owners.end());
  }
  std::vector<Found> found;
  for (const auto index : candidates) {
    auto one = compiled_->run(index, line);
    if (!one) continue;
    // Longer matches come first; equally long ones keep the order of the data.
    const auto shorter = [length = one->end - one->begin](const Found& other) {
      return other.end - other.begin < length;
    };
    found.insert(std::ranges::find_if(found, shorter), std::move(*one));
  }
  std::vector<Found> selected;
  for (auto& one : found) {
    const auto overlaps = [&one](const Found& other) { return overlap(one, other); };
    if (std::ranges::none_of(selected, overlaps)) selected.push_back(std::move(one));
  }
  std::vector<Match> matches;
  matches.reserve(selected.size());
  for (const auto& one : selected) matches.push_back(compiled_->match_of(one));
  return matches;
}

std::optional<Match> SignatureSet::match(std::string_view line) const {
  auto all = matches(line);
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

}  // namespace manactl::diag
