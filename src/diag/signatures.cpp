// SPDX-License-Identifier: MIT

#include "diag/signatures.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "diag/literal_scanner.h"
#include "diag/literals.h"

namespace manactl::embedded {
extern const std::string_view signatures_json;
}  // namespace manactl::embedded

namespace manactl::diag {
namespace {

using Texts = std::vector<std::string>;

// The literal of an expression that is shorter than this would be met everywhere.
constexpr std::size_t kShortestLiteral = 8;

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

// What the expressions of all signatures look for, and who is interested in which text.
struct Interest {
  Texts texts;
  std::vector<std::vector<std::size_t>> owners;  // by text
};

Result<Interest> interest_of(const std::vector<Signature>& signatures) {
  std::map<std::string, std::vector<std::size_t>> by_text;
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    const auto name = fmt::format("signature '{}'", signatures[i].id);
    auto literals = required_literals(signatures[i].match);
    if (!literals) return because(literals.error(), name);
    const auto is_short = [](const auto& text) { return text.size() < kShortestLiteral; };
    if (literals->empty() || std::ranges::any_of(*literals, is_short)) {
      return fail(Errc::invalid, fmt::format("{}: an alternative has no plain text", name));
    }
    for (const auto& text : *literals) by_text[text].push_back(i);
  }
  Interest interest;
  for (auto& [text, owners] : by_text) {
    interest.texts.push_back(text);
    interest.owners.push_back(std::move(owners));
  }
  return interest;
}

}  // namespace

struct SignatureSet::Compiled {
  std::vector<Signature> signatures;
  std::vector<Expression> expressions;  // of the signature with the same index
  Interest interest;
  LiteralScanner scanner;

  std::optional<Found> run(std::size_t index, std::string_view line) const;
  Match match_of(const Found& found) const;
};

std::optional<Found> SignatureSet::Compiled::run(std::size_t index, std::string_view line) const {
  const auto& expression = expressions[index];
  Found found;
  found.expression = index;
  found.groups.resize(static_cast<std::size_t>(expression.groups) + 1);
  if (!expression.regex->Match(line,
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
    if (text.data() != nullptr) match.captures.emplace_back(name, text.as_string());
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
  auto interest = interest_of(*signatures);
  if (!interest) return tl::unexpected(interest.error());
  std::vector<Expression> expressions;
  for (const auto& signature : *signatures) {
    auto expression = compile(signature);
    if (!expression) return tl::unexpected(expression.error());
    expressions.push_back(std::move(*expression));
  }
  LiteralScanner scanner(interest->texts, LiteralScanner::Case::exact);
  return SignatureSet(std::make_unique<Compiled>(Compiled{
      std::move(*signatures), std::move(expressions), std::move(*interest), std::move(scanner)}));
}

const std::vector<Signature>& SignatureSet::all() const {
  return compiled_->signatures;
}

const Signature* SignatureSet::find(std::string_view id) const {
  const auto found = std::ranges::find(compiled_->signatures, id, &Signature::id);
  return found == compiled_->signatures.end() ? nullptr : &*found;
}

std::size_t SignatureSet::next_candidate(std::string_view block, std::size_t from) const {
  return compiled_->scanner.next(block, from).at;
}

std::vector<Match> SignatureSet::matches(std::string_view line) const {
  std::set<std::size_t> candidates;
  for (const auto text : compiled_->scanner.all_in(line)) {
    const auto& owners = compiled_->interest.owners[text];
    candidates.insert(owners.begin(), owners.end());
  }
  std::vector<Found> found;
  for (const auto index : candidates) {
    auto one = compiled_->run(index, line);
    if (!one) continue;
    // The longest first; the order of the data decides between equals.
    const auto shorter = [length = one->end - one->begin](const Found& other) {
      return other.end - other.begin < length;
    };
    found.insert(std::ranges::find_if(found, shorter), std::move(*one));
  }
  std::vector<Found> kept;
  for (auto& one : found) {
    const auto covers = [&one](const Found& other) { return overlap(one, other); };
    if (std::ranges::none_of(kept, covers)) kept.push_back(std::move(one));
  }
  std::vector<Match> matches;
  matches.reserve(kept.size());
  for (const auto& one : kept) matches.push_back(compiled_->match_of(one));
  return matches;
}

std::optional<Match> SignatureSet::match(std::string_view line) const {
  auto all = matches(line);
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

}  // namespace manactl::diag
