// SPDX-License-Identifier: MIT

#include "host/ticket/formats.h"

#include <algorithm>

#include "base/characters.h"
#include "base/quotes.h"
#include "base/text.h"
#include "host/scrub_text.h"

namespace manactl::host {
namespace {

bool contains_text(std::string_view text, std::string_view part, bool ignores_case) {
  const auto same = [ignores_case](char one, char other) {
    return ignores_case ? lower(one) == lower(other) : one == other;
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool has_option(const TicketWords& words, char letter) {
  return std::any_of(words.begin() + (words.empty() ? 0 : 1), words.end(), [letter](auto word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' &&
           word.find(letter) != std::string_view::npos;
  });
}

bool TicketFilter::keeps(std::string_view text) const {
  if (!is_known) return false;
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return contains_text(text, pattern, ignores_case);
         });
}

TicketFilter filter_of_grep(const TicketWords& words) {
  constexpr std::string_view kHarmless = "-iE";  // options that change neither lines nor patterns
  TicketFilter filter;
  std::string pattern;
  bool is_extended = words[0] == "egrep";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto word = words[i];
    const bool is_substitution = word.ends_with(')') || word.ends_with('`');  // $(uname -r)
    if (word.starts_with('-') && !is_substitution) {
      filter.is_known = filter.is_known && word.find_first_not_of(kHarmless) == word.npos;
      filter.ignores_case = filter.ignores_case || word.find('i') != word.npos;
      is_extended = is_extended || word.find('E') != word.npos;
    } else if (pattern.empty()) {
      pattern = unquoted(word);
      // The shell removes backslashes outside of quotes.
      if (pattern.size() == word.size()) std::erase(pattern, '\\');
    }
  }
  // Characters other than these may have a meaning, such as '|' without -E.
  const auto is_plain = [](char c) { return is_alphanumeric(c) || c == '_'; };
  const std::string_view bar = is_extended ? "|" : "\\|";
  for (std::size_t begin = 0, end = 0; end < pattern.size(); begin = end + bar.size()) {
    end = std::min(pattern.find(bar, begin), pattern.size());
    const auto part = pattern.substr(begin, end - begin);
    filter.is_known = filter.is_known && !part.empty() && std::ranges::all_of(part, is_plain);
    filter.patterns.push_back(part);
  }
  filter.is_known = filter.is_known && !filter.patterns.empty();
  return filter;
}

TicketFilter filter_of_pipe(std::string_view command) {
  TicketFilter filter;
  // A '|' inside of quotes belongs to the pattern.
  char quote = 0;
  std::vector<std::size_t> pipes;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '|' || c == ';' || c == '&') {
      pipes.push_back(i);
    }
  }
  if (pipes.empty()) return filter;
  const auto program = words(command.substr(pipes.front() + 1));
  const bool is_grep = pipes.size() == 1 && command[pipes.front()] == '|' && program.size() > 1 &&
                       (program[0] == "grep" || program[0] == "egrep");
  if (is_grep) return filter_of_grep(program);
  filter.is_known = false;
  return filter;
}

void add_absent(const std::string& kind,
                const TicketFilter& filter,
                const TicketOutput& output,
                TicketStatements& statements) {
  for (const auto& name : statements.subjects(kind)) {
    const bool is_absent = !output.seen.contains(name) && filter.keeps(name);
    if (is_absent) statements.add(fmt::format("{} {} present", kind, name), "no");
  }
}

}  // namespace manactl::host
