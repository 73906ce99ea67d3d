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

// A text that selects candidate lines.
struct Literal {
  std::string text;
  std::vector<std::size_t> owners;  // indexes of the signatures that need it
  bool is_of_counters = false;      // begins a report of counters, or names its device
  bool is_of_ticket = false;        // may begin a pasted output
};

// One search finds the lines of signatures, those of counters and those of pasted outputs.
Result<std::vector<Literal>> collect_literals(const std::vector<Signature>& signatures,
                                              const std::vector<CounterFormat>& formats) {
  std::map<std::string, Literal> by_text;
  for (const auto& format : formats) {
    for (const auto& text : format.literals) by_text[text].is_of_counters = true;
  }
  for (const auto& text : host::ticket_literals()) by_text[text].is_of_ticket = true;
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    if (is_rule(signatures[i])) continue;  // no line matches it
    const auto name = fmt::format("signature '{}'", signatures[i].id);
    auto texts = required_literals(signatures[i].match);
    if (!texts) return because(texts.error(), name);
    const auto is_short = [](const auto& text) { return text.size() < kMinLiteral; };
    if (texts->empty() || std::ranges::any_of(*texts, is_short)) {
      return fail(
          Errc::invalid,
          fmt::format(
              "{}: each alternative of the pattern needs at least {} literal characters in a row",
              name,
              kMinLiteral));
    }
    for (const auto& text : *texts) by_text[text].owners.push_back(i);
  }
  std::vector<Literal> literals;
  for (auto& [text, literal] : by_text) {
    literal.text = text;
    literals.push_back(std::move(literal));
  }
  return literals;
}

LiteralScanner scanner_of(const std::vector<Literal>& literals) {
  std::vector<std::string> texts;
  texts.reserve(literals.size());
  for (const auto& literal : literals) texts.push_back(literal.text);
  return {std::move(texts), LiteralScanner::Case::exact};
}

}  // namespace

struct SignatureSet::Compiled {
  std::vector<Signature> signatures;
  std::vector<CounterFormat> formats;
  std::vector<Expression> expressions;  // same indexes as `signatures`
  std::vector<Literal> literals;
  LiteralScanner scanner;  // returns indexes into `literals`

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
  auto literals = collect_literals(*signatures, *formats);
  if (!literals) return tl::unexpected(literals.error());
  std::vector<Expression> expressions;
  for (const auto& signature : *signatures) {
    auto expression = compile(signature);
    if (!expression) return tl::unexpected(expression.error());
    expressions.push_back(std::move(*expression));
  }
  auto scanner = scanner_of(*literals);
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
      texts, [this](auto text) { return compiled_->literals[text].is_of_counters; });
}

bool SignatureSet::may_match(const std::vector<std::uint32_t>& texts) const {
  return std::ranges::any_of(
      texts, [this](auto text) { return !compiled_->literals[text].owners.empty(); });
}

bool SignatureSet::may_begin_ticket(std::string_view line) const {
  return std::ranges::any_of(texts_in(line),
                             [this](auto text) { return compiled_->literals[text].is_of_ticket; });
}

std::vector<Match> SignatureSet::matches(std::string_view line,
                                         const std::vector<std::uint32_t>& texts) const {
  std::set<std::size_t> candidates;
  for (const auto text : texts) {
    const auto& owners = compiled_->literals[text].owners;
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
