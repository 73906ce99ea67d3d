// SPDX-License-Identifier: MIT

#include "host/scrub_keyed.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "host/scrub_arguments.h"
#include "host/scrub_keyword.h"
#include "host/scrub_list_value.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

// Punctuation that a value without quotes may contain.
constexpr std::string_view kPunctuation = ",;&)}]<>|";

// Punctuation between two keys: "password=x., user=y".
constexpr std::string_view kBetweenKeys = ".,;&)}]<>|";

// Whether `value` announces a block scalar of YAML, whose text begins in the next line: "|", ">-".
bool is_block_scalar(std::string_view value) {
  constexpr std::size_t kMaxIndicator = 3;
  if (value.empty() || (value.front() != '|' && value.front() != '>')) return false;
  const auto end = value.substr(0, kMaxIndicator + 1).find_first_not_of("+-123456789", 1);
  return end != std::string_view::npos && (value[end] == '\n' || value[end] == '\r');
}

// The text that precedes a value.
struct Opening {
  std::string_view key;
  std::string_view before;      // the text before the key
  char separator = '\0';        // '=', ':', or ' ' after an option or a word
  char quote = '\0';            // that opens the value; '<' in an element of XML
  char bracket = '\0';          // that opens the value
  std::size_t backslashes = 0;  // before the quote
  bool is_quoted_key = false;
  bool is_sentence = false;      // "the password is x": perhaps prose
  bool is_rest_of_line = false;  // "the new password is: x"
  std::size_t indentation = 0;   // of the lines of a block scalar
};

void remove_white_space(std::string_view& text) {
  constexpr std::string_view kWhiteSpace = " \t\r\n";
  for (int i = 0;
       i < 64 && !text.empty() && kWhiteSpace.find(text.back()) != std::string_view::npos;
       ++i)
    text.remove_suffix(1);
}

// Removes "=", ":", "=>" or the like, and the blanks around it. Returns '=' or ':'; '\0' if there
// is none, or if it belongs to a name such as "secret::name".
char remove_separator(std::string_view& text) {
  remove_blanks(text);
  for (const std::string_view one : {"===", "==", "=:", "=>", "->", ":=", "=", ":"}) {
    if (!text.ends_with(one)) continue;
    text.remove_suffix(one.size());
    if (text.ends_with(':')) return '\0';
    remove_blanks(text);
    return one == ":" ? ':' : '=';
  }
  return '\0';
}

// Removes the key, and the quotes around it.
std::string_view remove_key(std::string_view& text, bool& is_quoted) {
  char quote = '\0';
  remove_quote(text, quote);
  is_quoted = quote != '\0';
  const auto key = key_before(text);
  text.remove_suffix(key.size());
  if (is_quoted) remove_quote(text, quote);
  return key;
}

// The key to which a key such as "value" belongs: {"password": {"value": "x"}} and
// {"name": "password", "value": "x"}. `before` is the text before "value".
std::string_view outer_key(std::string_view before) {
  bool is_quoted = false;
  remove_white_space(before);
  if (before.ends_with('{') || before.ends_with(',')) before.remove_suffix(1);
  auto rest = before;
  if (remove_separator(rest) != '\0') return remove_key(rest, is_quoted);
  const auto name = remove_key(before, is_quoted);
  if (remove_separator(before) == '\0') return {};
  const auto member = lower(remove_key(before, is_quoted));
  return member == "name" || member == "key" ? name : std::string_view();
}

// The value of an option: "--password x", ["--password", "x"], a1="--password" a2="x".
bool read_option(std::string_view text, Opening& opening) {
  auto before = text;
  if (remove_gap(before) == Gap::none) return false;
  opening.key = key_before(before);
  if (!opening.key.starts_with('-')) return false;
  before.remove_suffix(opening.key.size());
  opening.backslashes = remove_quote(text, opening.quote);
  opening.separator = ' ';
  // "rootpw --plaintext x" of Kickstart
  remove_blanks(before);
  const bool kickstart = opening.key == "--plaintext" || opening.key == "--iscrypted";
  if (kickstart && key_before(before) == "rootpw") {
    opening.key = "rootpw";
    opening.is_rest_of_line = true;
  }
  opening.before = before;
  return true;
}

// The text of an element of XML: "<ns1:Password type='x'>".
bool read_tag(std::string_view text, Opening& opening) {
  constexpr std::string_view kData = "<![CDATA[";
  if (text.ends_with(kData)) text.remove_suffix(kData.size());
  remove_white_space(text);
  const auto start = text.rfind('<');
  if (!text.ends_with('>') || start == std::string_view::npos) return false;
  auto tag = text.substr(start + 1);
  tag.remove_suffix(1);
  if (tag.ends_with('/')) return false;
  tag = tag.substr(0, tag.find_first_of(" \t"));
  opening.key = tag.substr(tag.find(':') + 1);  // 0 if there is none
  opening.separator = '=';
  opening.quote = '<';
  return key_before(opening.key) == opening.key;
}

// Removes the end of "password for alice", "password is generated for alice" after the keyword.
bool remove_recipient(std::string_view& text) {
  constexpr int kMaxWords = 4;
  const auto at = text.rfind(" for ");
  if (at == std::string_view::npos || text.find_first_of(":=\n", at) != std::string_view::npos)
    return false;
  auto rest = text.substr(0, at);
  for (int i = 0; i < kMaxWords; ++i) {
    const auto word = key_before(rest);
    if (likelihood_of(word) == Likelihood::always) {
      text = rest;
      return true;
    }
    rest.remove_suffix(word.size());
    remove_blanks(rest);
  }
  return false;
}

// "the password is x", "the new password is: x", "password for alice: x"
void read_sentence(std::string_view& text, Opening& opening) {
  if (opening.separator == '=' || opening.bracket != '\0') return;
  const bool colon = opening.separator == ':';
  const bool is = text.ends_with(" is");
  if (is) text.remove_suffix(3);
  if (!is && !colon) return;
  const bool recipient = remove_recipient(text);
  if (!is && !recipient) return;
  opening.separator = ':';
  opening.is_sentence = !colon || recipient;
  opening.is_rest_of_line = colon;
}

// "password: |\n  x": the value is a block of indented lines.
bool read_block_scalar(std::string_view text, Opening& opening) {
  const auto line = text.rfind('\n');
  if (line == std::string_view::npos || line + 1 == text.size()) return false;
  const auto indentation = text.size() - line - 1;
  if (text.find_first_not_of(' ', line + 1) != std::string_view::npos) return false;
  const auto indicator = text.find_last_of("|>");
  if (indicator == std::string_view::npos || !is_block_scalar(text.substr(indicator))) return false;
  if (text.find_first_not_of("|>+-123456789 \r\n", indicator) != std::string_view::npos)
    return false;
  text = text.substr(0, indicator);
  if (!text.ends_with(' ') || remove_separator(text) != ':') return false;
  opening.key = remove_key(text, opening.is_quoted_key);
  opening.separator = ':';
  opening.is_quoted_key = true;  // no sentence
  opening.before = text;
  opening.indentation = indentation;
  return true;
}

// The length of the lines at the start of `text` that are indented as the first one, whose
// indentation is before `text`. Empty lines between them belong to the block.
std::size_t block_length(std::string_view text, std::size_t indentation) {
  auto length = std::min(text.find('\n'), text.size());
  for (auto end = length; end < text.size();) {
    const auto start = text.find_first_not_of(' ', end + 1);
    if (start == std::string_view::npos) return length;
    const bool is_empty = text[start] == '\n';
    if (!is_empty && start - end - 1 < indentation) return length;
    end = std::min(text.find('\n', start), text.size());
    if (!is_empty) length = end;
  }
  return length;
}

Opening opening_before(std::string_view text) {
  Opening opening;
  if (read_block_scalar(text, opening)) return opening;
  opening = {};
  if (read_tag(text, opening)) return opening;
  opening = {};
  if (read_option(text, opening)) return opening;
  opening = {};
  opening.backslashes = remove_quote(text, opening.quote);
  auto outer = text;
  remove_white_space(outer);
  if (outer.ends_with('[') || outer.ends_with('{')) {
    opening.bracket = outer.back();
    outer.remove_suffix(1);
    text = outer;
  }
  const auto size = text.size();
  opening.separator = remove_separator(text);
  const bool has_gap = text.size() < size;
  read_sentence(text, opening);
  if (opening.separator == '\0') {  // passphrase "x"
    if (!has_gap || opening.bracket != '\0' || text.ends_with(':')) return {};
    opening.separator = ' ';
  }
  opening.key = remove_key(text, opening.is_quoted_key);
  opening.before = text;
  if (is_trailer(opening.key)) opening.key = outer_key(text);
  return opening;
}

// The value at the start of `text`, which a line feed, its quote or a separator ends.
std::string_view value_of(std::string_view text, const Opening& opening) {
  constexpr std::string_view kEnds = " \t\r\n\"',;&)}]<>|";
  if (opening.quote == '\0') return text.substr(0, text.find_first_of(kEnds));
  std::size_t backslashes = 0;
  for (std::size_t end = 0; end < text.size() && text[end] != '\n'; ++end) {
    if (text[end] == opening.quote && backslashes <= opening.backslashes)
      return text.substr(0, end - backslashes);
    backslashes = text[end] == '\\' ? backslashes + 1 : 0;
  }
  return text.substr(0, text.find('\n'));
}

// Whether a value without quotes ends at the punctuation at the start of `rest`: a blank or another
// key follows.
bool ends_before(std::string_view rest) {
  constexpr std::string_view kEnds = " \t\r\n\"'";
  rest.remove_prefix(std::min(rest.find_first_not_of(kBetweenKeys), rest.size()));
  if (rest.empty() || kEnds.find(rest.front()) != std::string_view::npos) return true;
  const auto key = name_at(rest);
  const char next = at_or_end(rest, key.size());
  return !key.empty() && (next == '=' || next == ':');
}

// The length of the secret that `text` begins with. Reads nothing after the secret; otherwise a
// long line would take quadratic time.
std::size_t length_of(std::string_view text, const Opening& opening, Likelihood likelihood) {
  if (opening.indentation > 0) return block_length(text, opening.indentation);
  auto length = value_of(text, opening).size();
  if (opening.bracket == '[') {  // hides all elements
    auto list = text.substr(0, text.find_first_of("]\n", length));
    remove_blanks(list);
    char quote = '\0';
    if (opening.quote != '\0') remove_quote(list, quote);
    return std::max(length, list.size());
  }
  if (opening.quote != '\0' || likelihood == Likelihood::if_long) return length;
  if (opening.is_rest_of_line) {
    auto line = text.substr(0, text.find('\n'));
    remove_white_space(line);
    return line.size();
  }
  if (opening.separator == '=') length = std::max(length, list_value_length(opening.before, text));
  while (length < text.size() && kPunctuation.find(text[length]) != std::string_view::npos &&
         !ends_before(text.substr(length))) {
    length = text.find_first_not_of(kBetweenKeys, length);  // as ends_before(), so never npos
    length += value_of(text.substr(length), opening).size();
  }
  return length;
}

// Whether prose such as "no password: skipped" or "invalid token: expected" is before the key.
bool is_denied(std::string_view before) {
  static constexpr std::string_view kDenials[] = {"no",
                                                  "invalid",
                                                  "bad",
                                                  "wrong",
                                                  "unexpected",
                                                  "missing",
                                                  "incorrect",
                                                  "unknown",
                                                  "failed",
                                                  "empty",
                                                  "without",
                                                  "check",
                                                  "verify",
                                                  "hash"};
  remove_blanks(before);
  return contains(kDenials, lower(key_before(before)));
}

// Whether a word is unlikely to be one of prose: "Failed", "re-read" and "expired." are likely.
bool is_strange(std::string_view word) {
  constexpr std::string_view kUsual = ".-_?!:";
  return std::any_of(word.begin(), word.end(), [&](const char& c) {
    return is_digit(c) || (c >= 'A' && c <= 'Z' && &c != word.data()) ||
           (!is_alphanumeric(c) && kUsual.find(c) == std::string_view::npos);
  });
}

// Whether the value is a secret although only a blank separates it from a key such as "password":
// in .netrc, for nmcli.
bool is_secret_after_blank(const Opening& opening, std::string_view value) {
  const bool tag = opening.before.ends_with('<') || opening.before.ends_with(':');
  if (opening.is_quoted_key || tag || is_denied(opening.before)) return false;
  if (opening.quote != '\0') return true;
  auto before = opening.before;
  remove_blanks(before);
  const bool is_unlikely_in_prose = is_strange(value) && !is_number(value);
  return matches_secret_word(opening.key, key_before(before), value, is_unlikely_in_prose);
}

bool is_secret(const Opening& opening, std::string_view value, Likelihood likelihood) {
  constexpr std::size_t kMinKey = 16;
  const auto digits = value.substr(value.starts_with('-') ? 1 : 0);
  const bool number = is_number(digits) || digits.starts_with("0x");
  if (number && likelihood != Likelihood::always) return false;
  // "public" and "private" are usual communities of SNMP.
  const bool word = value.size() < kMaxKey && is_ignored(value) && !is_number(value) &&
                    !lower(opening.key).ends_with("community");
  if (word && opening.quote == '\0' && value.size() > 2) return false;  // "none", "true"
  if (lower(opening.key).ends_with("pwd") && value.starts_with('/')) return false;  // a folder
  const bool compound = opening.key.find('_') != std::string_view::npos;  // a name of a variable
  const bool prose =
      opening.separator == ':' && !compound && opening.quote == '\0' && !opening.is_quoted_key;
  if (likelihood == Likelihood::if_long) {
    return value.size() >= kMinKey && std::any_of(value.begin(), value.end(), is_digit) &&
           !is_denied(opening.before) && std::all_of(value.begin(), value.end(), [](char c) {
             return is_alphanumeric(c) || c == '+' || c == '/' || c == '=' || c == '_' || c == '-';
           });
  }
  if (opening.separator == ' ' && !opening.key.starts_with('-'))
    return likelihood == Likelihood::always && is_secret_after_blank(opening, value);
  if (!prose) return true;
  if (opening.is_sentence) return is_strange(value);
  return is_strange(value) || (likelihood == Likelihood::always && !is_denied(opening.before));
}

// Whether a value is a key in brackets: {"password": {"value": "x"}}
bool is_inner_key(std::string_view text, std::string_view value) {
  constexpr std::string_view kQuotes = "\"'\\";
  const auto after = text.find_first_not_of(kQuotes, value.size());
  return value.ends_with(':') || (after != std::string_view::npos && text[after] == ':');
}

// Whether the key is the first word of a line such as "password = two words".
bool begins_line(std::string_view before) {
  remove_blanks(before);
  return before.empty() || before.ends_with('\n');
}

}  // namespace

std::size_t keyed_secret_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kBefore = "=: \t\n\"'>[{", kNoValue = "=:>[{ \t\n\"'";
  constexpr std::size_t kWindow = 2 * kMaxKey + 64, kMaxValue = 4096;
  const bool may_begin = at > 0 && at < text.size() &&
                         kBefore.find(text[at - 1]) != std::string_view::npos &&
                         kNoValue.find(text[at]) == std::string_view::npos;
  if (!may_begin || is_block_scalar(text.substr(at)) ||
      (text[at] == '\\' && at_or_end(text, at + 1) == '"'))
    return 0;
  const auto start = at - std::min(at, kWindow);
  auto opening = opening_before(text.substr(start, at - start));
  if (opening.key.size() < 2) return 0;
  const auto likelihood = likelihood_of(opening.key);
  if (likelihood == Likelihood::no) return 0;
  const bool argument = text[at] == '-' || is_index_at(text.substr(at));  // another option
  if (opening.separator == ' ' && argument) return 0;
  const auto value = value_of(text.substr(at, kMaxValue), opening);
  // "Authorization: Bearer x": bearer_at() finds the token behind the scheme.
  const bool scheme =
      lower(opening.key) == "authorization" && at_or_end(text, at + value.size()) == ' ';
  if (opening.bracket == '{' && is_inner_key(text.substr(at), value)) return 0;
  if (scheme || !is_secret(opening, value, likelihood)) return 0;
  const bool assigned = opening.separator != ' ' && text[at - 1] == ' ';
  if (likelihood == Likelihood::always && begins_line(opening.before) &&
      (assigned || opening.key == "rootpw"))
    opening.is_rest_of_line = true;
  return length_of(text.substr(at), opening, likelihood);
}

}  // namespace manactl::host
