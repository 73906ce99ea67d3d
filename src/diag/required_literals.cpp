// SPDX-License-Identifier: MIT

#include "diag/required_literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/characters.h"

namespace manactl::diag {
namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t kMaxStrings = 24;       // largest size of Part::exact
constexpr std::size_t kMaxUsefulLength = 16;  // longer literals are not more selective
constexpr std::size_t kMaxClass = 4;  // "[rt]x" becomes two strings; "[a-z]" is not expanded
constexpr unsigned kMaxDepth = 100;

// A part of the expression, and the texts that it matches.
struct Part {
  std::optional<Strings> exact;  // all texts that it can match, if they are few
  Strings needed;                // every match contains one of these; empty if unknown
};

std::size_t selectivity(const Strings& set) {
  if (set.empty()) return 0;
  const auto shortest = std::ranges::min_element(set, {}, &std::string::size);
  return std::min(shortest->size(), kMaxUsefulLength);
}

void keep_better(Strings& best, const Strings& candidate) {
  const auto now = selectivity(candidate);
  const auto before = selectivity(best);
  const bool is_smaller = candidate.size() < best.size();
  if (now > before || (now == before && is_smaller)) best = candidate;
}

Strings needed_of(const Part& part) {
  Strings best = part.needed;
  if (part.exact) keep_better(best, *part.exact);
  return best;
}

// Concatenates parts. Adjacent exact parts become longer literals.
class Sequence {
 public:
  void add(const Part& part) {
    if (part.exact && run_.size() * part.exact->size() <= kMaxStrings) {
      Strings longer;
      for (const auto& head : run_) {
        for (const auto& tail : *part.exact) longer.push_back(head + tail);
      }
      run_ = std::move(longer);
      return;
    }
    end_run();
    exact_ = false;
    if (part.exact) {
      run_ = *part.exact;
    } else {
      keep_better(best_, part.needed);
    }
  }

  Part result() {
    Part part;
    if (exact_) part.exact = run_;
    end_run();
    part.needed = best_;
    return part;
  }

 private:
  void end_run() {
    keep_better(best_, run_);
    run_ = {""};
  }

  Strings run_ = {""};
  Strings best_;
  bool exact_ = true;
};

class Parser {
 public:
  explicit Parser(std::string_view pattern) : rest_(pattern) {}

  Result<Strings> run() {
    auto part = alternatives(0);
    if (!part) return tl::unexpected(part.error());
    if (!rest_.empty()) return refuse("an unmatched ')'");
    return needed_of(*part);
  }

 private:
  static tl::unexpected<Error> refuse(std::string_view what) {
    return fail(Errc::invalid, fmt::format("unsupported expression: {}", what));
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  char take_char() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  Result<Part> alternatives(unsigned depth) {
    if (depth > kMaxDepth) return refuse("too many nested groups");
    auto all = sequence(depth);
    while (all && take("|")) {
      auto next = sequence(depth);
      if (!next) return next;
      all = either(*all, *next);
    }
    return all;
  }

  static Part either(const Part& one, const Part& other) {
    Part both;
    if (one.exact && other.exact && one.exact->size() + other.exact->size() <= kMaxStrings) {
      both.exact = one.exact;
      both.exact->insert(both.exact->end(), other.exact->begin(), other.exact->end());
    }
    const auto left = needed_of(one);
    const auto right = needed_of(other);
    if (selectivity(left) > 0 && selectivity(right) > 0) {
      both.needed = left;
      both.needed.insert(both.needed.end(), right.begin(), right.end());
    }
    return both;
  }

  Result<Part> sequence(unsigned depth) {
    Sequence parts;
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      auto part = atom(depth);
      if (!part) return part;
      parts.add(repeated(*part));
    }
    return parts.result();
  }

  Part repeated(const Part& part) {
    if (take("*")) return lazy(Part{});
    if (take("+")) return lazy(Part{std::nullopt, needed_of(part)});
    if (take("?")) {
      Part maybe;
      if (part.exact) {
        maybe.exact = part.exact;
        maybe.exact->emplace_back();
      }
      return lazy(maybe);
    }
    if (!rest_.starts_with('{')) return part;
    const bool none = rest_.starts_with("{0");
    rest_.remove_prefix(std::min(rest_.size(), rest_.find('}') + 1));
    return lazy(Part{std::nullopt, none ? Strings{} : needed_of(part)});
  }

  Part lazy(Part part) {
    take("?");
    return part;
  }

  Result<Part> atom(unsigned depth) {
    if (take("(")) return group(depth);
    if (take("[")) return char_class();
    if (take("\\")) return escape();
    if (take("^") || take("$")) return Part{Strings{""}, {}};
    if (take(".")) return Part{};
    return Part{Strings{std::string(1, take_char())}, {}};
  }

  Result<Part> group(unsigned depth) {
    if (take("?P<")) {
      rest_.remove_prefix(std::min(rest_.size(), rest_.find('>') + 1));
    } else if (!take("?:") && rest_.starts_with('?')) {
      return refuse("flags or lookaround");
    }
    auto inner = alternatives(depth + 1);
    if (inner && !take(")")) return refuse("an unclosed '('");
    return inner;
  }

  Result<Part> escape() {
    if (rest_.empty()) return refuse("a trailing backslash");
    const char c = take_char();
    if (c == 'b') return Part{Strings{""}, {}};
    if (is_alphanumeric(c)) return Part{};
    return Part{Strings{std::string(1, c)}, {}};
  }

  Result<Part> char_class() {
    Strings members;
    bool listed = !take("^");
    while (!rest_.empty() && rest_.front() != ']') {
      const char c = take_char();
      if (c == '[') return refuse("a class inside a class");
      if (c == '\\' || (rest_.starts_with('-') && !rest_.starts_with("-]"))) listed = false;
      if (c == '\\' && !rest_.empty()) take_char();
      members.emplace_back(1, c);
    }
    if (!take("]")) return refuse("an unclosed '['");
    if (members.empty()) return refuse("a class that begins with ']'");
    if (!listed || members.size() > kMaxClass) return Part{};
    return Part{members, {}};
  }

  std::string_view rest_;
};

}  // namespace

Result<std::vector<std::string>> required_literals(std::string_view pattern) {
  auto found = Parser(pattern).run();
  if (!found) return found;
  std::ranges::sort(*found);
  found->erase(std::unique(found->begin(), found->end()), found->end());
  return found;
}

}  // namespace manactl::diag
