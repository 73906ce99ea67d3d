// SPDX-License-Identifier: MIT

#include "host/scrub_arguments.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "host/scrub_keyword.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

// Removes "a2=" of audit(8) from the end of `text`.
void remove_index(std::string_view& text) {
  if (!text.ends_with('=')) return;
  const auto start = text.size() - 1 - key_before(text.substr(0, text.size() - 1)).size();
  if (is_index_at(text.substr(start))) text.remove_suffix(text.size() - start);
}

// An option that a password follows.
struct PasswordOption {
  std::string_view program;  // a part of its name, or empty
  std::string_view option;
  bool is_attached = false;  // the value may follow without a blank: "-pswordfish"
  bool is_number = true;     // the value may be a number; elsewhere, "-p 22" is a port
};

constexpr PasswordOption kPasswordOptions[] = {{"sshpass", "-p", true},
                                               {"mysql", "-p", true},
                                               {"maria", "-p", true},
                                               {"mongo", "-p"},
                                               {"useradd", "-p"},
                                               {"usermod", "-p"},
                                               {"login", "-p", false, false},
                                               {"pass", "-p", false, false},
                                               {"ldap", "-w"},
                                               {"redis-cli", "-a"},
                                               {"sqlcmd", "-P"},
                                               {"snmp", "-c", false, false},
                                               {"snmp", "-A", false, false},
                                               {"snmp", "-X", false, false},
                                               {"ipmitool", "-P"},
                                               {"mosquitto_", "-P"},
                                               {"suseconnect", "-r"},
                                               {"", "pro attach"},
                                               {"", "ua attach"}};

constexpr std::string_view kUserOptions[] = {"-u", "-U", "--user", "--proxy-user"};

bool ends_with_argument(std::string_view text, std::string_view argument) {
  constexpr std::string_view kBefore = " \t\"'/";
  if (!text.ends_with(argument)) return false;
  text.remove_suffix(argument.size());
  return text.empty() || kBefore.find(text.back()) != std::string_view::npos;
}

// Whether `before`, the start of a line, ends with an option that a password follows.
bool follows_password_option(std::string_view before, std::string_view value) {
  char quote = '\0';
  const auto start = before;
  const bool separate = remove_gap(before) != Gap::none;
  if (!separate) {
    before = start;
    remove_quote(before, quote);
  }
  return std::any_of(
      std::begin(kPasswordOptions), std::end(kPasswordOptions), [&](const PasswordOption& one) {
        return (separate || one.is_attached) && ends_with_argument(before, one.option) &&
               (one.is_number || !is_number(value)) &&
               lower(before).find(one.program) != std::string::npos;
      });
}

// Whether `before` ends with an option that "user:password" follows.
bool follows_user_option(std::string_view before) {
  if (before.ends_with('='))
    before.remove_suffix(1);
  else if (remove_gap(before) == Gap::none)
    return false;
  return std::any_of(std::begin(kUserOptions), std::end(kUserOptions), [&](auto option) {
    return ends_with_argument(before, option);
  });
}

}  // namespace

void remove_blanks(std::string_view& text) {
  for (int i = 0; i < 16 && (text.ends_with(' ') || text.ends_with('\t')); ++i)
    text.remove_suffix(1);
}

std::size_t remove_quote(std::string_view& text, char& quote) {
  if (text.empty() || !is_quote(text.back())) return 0;
  quote = text.back();
  text.remove_suffix(1);
  std::size_t backslashes = 0;
  for (; backslashes < 16 && text.ends_with('\\'); ++backslashes) text.remove_suffix(1);
  return backslashes;
}

std::string_view key_before(std::string_view text) {
  auto start = text.size();
  while (start > 0 && text.size() - start < kMaxKey &&
         (is_alphanumeric(text[start - 1]) || text[start - 1] == '_' || text[start - 1] == '-' ||
          text[start - 1] == '.'))
    --start;
  return text.substr(start);
}

bool is_index_at(std::string_view text) {
  constexpr std::size_t kMaxDigits = 5;
  if (!text.starts_with('a') || !is_digit(at_or_end(text, 1))) return false;
  const auto end = text.substr(0, kMaxDigits + 2).find_first_not_of("0123456789", 1);
  return at_or_end(text, end) == '=';
}

Gap remove_gap(std::string_view& text) {
  char quote = '\0';
  remove_quote(text, quote);
  remove_index(text);
  const auto size = text.size();
  remove_blanks(text);
  auto gap = text.size() < size ? Gap::blank : Gap::none;
  if (quote != '\0' && text.ends_with(',')) {
    text.remove_suffix(1);
    remove_blanks(text);
    gap = Gap::comma;
  }
  if (gap != Gap::none) remove_quote(text, quote);
  return gap;
}

std::size_t login_password_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kWindow = 200;
  constexpr std::string_view kNoValue = "-/ \t\n\"'", kEnds = " \t\n\"'";
  auto before = text.substr(at - std::min(at, kWindow), std::min(at, kWindow));
  before.remove_prefix(before.rfind('\n') + 1);  // 0 if there is none
  if (before.empty() || is_index_at(text.substr(at)) ||
      kNoValue.find(text[at]) != std::string_view::npos)
    return 0;
  text = text.substr(at, kMaxNameLength);
  const auto value = text.substr(0, text.find_first_of(kEnds));
  const bool joined = before.ends_with(':') || before.ends_with('%');
  if (joined) {  // "-u user:password", "-U user%password"
    before.remove_suffix(1);
    auto start = before.find_last_of(" \t\"'=:%") + 1;
    const bool attached = before.substr(start).starts_with("-u") && before.size() > start + 2 &&
                          lower(before).find("curl") != std::string::npos;
    if (attached) start += 2;  // "curl -ualice:password"
    const auto user = before.substr(start);
    before = before.substr(0, start);
    const bool ids = is_number(user) && is_number(value);
    if (user.empty() || ids || (!attached && !follows_user_option(before))) return 0;
  } else if (!follows_password_option(before, value)) {
    return 0;
  }
  if (!is_quote(before.back())) return value.size();
  const char ends[] = {before.back(), '\n'};
  auto quoted = text.substr(0, text.find_first_of(std::string_view(ends, 2)));
  while (quoted.ends_with('\\')) quoted.remove_suffix(1);
  return quoted.size();
}

}  // namespace manactl::host
