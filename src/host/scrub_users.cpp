// SPDX-License-Identifier: MIT

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "host/scrub_domains.h"
#include "host/scrub_lines.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

bool is_one_of(char c, std::string_view characters) {
  return c == '\0' || characters.find(c) != std::string_view::npos;
}

// Adds the user at the start of `rest`, and the host if it is "user@host".
void add_user_at(std::string_view rest, NameReplacer& names) {
  const auto name = name_at(rest);
  if (rest.substr(name.size()).starts_with("://")) return;  // a URL
  const auto at = name.find('@');
  names.add(NameReplacer::kUser, name.substr(0, at));
  if (at != std::string_view::npos) names.add(NameReplacer::kHost, name.substr(at + 1));
}

// "New session 5 of user alice.", "Created slice User Slice of alice.", "... for user alice". Other
// lines of systemd have the words "user" and "for" in prose: "User Slice of UID 1000".
void learn_users_of_systemd(const LogLine& line, NameReplacer& names) {
  for (const std::string_view key : {"of user ", "for user ", "user slice of "}) {
    after_each(line, key, [&](std::string_view rest) {
      if (rest.starts_with('\'')) rest.remove_prefix(1);
      const auto name = name_at(rest);
      const auto tail = rest.substr(name.size());
      const bool ends = tail.empty() || is_one_of(tail.front(), "'.,:;");
      if (ends && lower(name) != "uid") names.add(NameReplacer::kUser, name);
    });
  }
}

// Whether `tail`, which follows a word after "for " or "user ", shows that the word is a user and
// not one of prose such as "waiting for processes to exit".
bool follows_user(std::string_view tail, std::string_view key) {
  static constexpr std::string_view kTails[] = {
      " from ", " by ", " on ", " at ", " not ", " has ", " is ", " with ", " [", " ("};
  if (tail.starts_with(' ')) {
    return is_digit(at_or_end(tail, 1)) ||  // "authenticating user alice 10.0.0.4 port 5"
           std::any_of(std::begin(kTails), std::end(kTails), [&](auto one) {
             return tail.starts_with(one);
           });
  }
  return key != "for " || tail.starts_with('(') || tail.starts_with('\'') ||
         tail.starts_with('"') || tail.starts_with('[');
}

// Lines of sshd, sudo, su, PAM and systemd-logind.
void learn_logins(const LogLine& line, NameReplacer& names) {
  static constexpr std::string_view kPrograms[] = {"ssh", "sudo", "su[", "su:", "pam_"};
  const bool systemd = line.mentions("logind") || line.mentions("systemd[");
  if (systemd) learn_users_of_systemd(line, names);
  if (systemd && !line.mentions("pam_")) return;
  const bool login = std::any_of(std::begin(kPrograms), std::end(kPrograms), [&](auto program) {
    return line.text.find(program) != std::string_view::npos;
  });
  if (!login) return;
  for (const std::string_view key :
       {"user ", "for ", "user: ", "sshd: ", "sudo: ", "account ", "by ", "root) "}) {
    after_each(line, key, [&](std::string_view rest) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" '\""), rest.size()));
      const auto tail = rest.substr(name_at(rest).size());
      const bool ends = tail.empty() || is_one_of(tail.front(), " ('\",:[.;");
      if (!ends) return;
      // "sudo:   alice : TTY=...", "sshd: alice [priv]", but not "sshd: error ..."
      const bool title = key == "user: " || key == "sshd: " || key == "sudo: ";
      if (title && !tail.starts_with(" :") && !tail.starts_with(" [")) return;
      // "by alice(uid=1000)", "Successful su for root by alice", "(to root) alice on pts/0"
      if (key == "by " && !tail.starts_with("(uid=") && !line.mentions("ful su for ")) return;
      const bool prose = key == "user " || key == "for " || key == "account ";
      // "password changed for alice" ends the line.
      const bool changed = tail.empty() && line.mentions("pam_");
      if (prose && !changed && !follows_user(tail, key)) return;
      if (key == "root) " && !(tail.starts_with(" on ") && line.mentions("(to root)"))) return;
      add_user_at(rest, names);
    });
  }
}

// "CRON[7]: (alice) CMD (...)", "crontab[7]: (alice) LIST (alice)"
void learn_cron(const LogLine& line, NameReplacer& names) {
  if (!line.mentions("cron")) return;
  after_each(line, ": (", [&](std::string_view rest) {
    const auto name = name_at(rest);
    if (rest.substr(name.size()).starts_with(") ")) names.add(NameReplacer::kUser, name);
  });
}

// `id`: "uid=1000(alice) gid=1000(alice) groups=1000(alice),27(sudo)". Groups below 1000 belong to
// the distribution.
void learn_id(const LogLine& line, NameReplacer& names) {
  constexpr std::size_t kFirstUserDigits = 4;
  if (!line.mentions("uid=") && !line.mentions("gid=") && !line.mentions("groups=")) return;
  after_each(line, "(", [&](std::string_view rest) {
    const auto before = line.text.substr(0, line.text.size() - rest.size() - 1);
    const auto digits = last_name(before);
    const bool is_id =
        digits.size() >= kFirstUserDigits && is_number(digits) && before.size() > digits.size();
    auto name = rest.substr(0, rest.substr(0, kMaxNameLength).find(')'));
    name.remove_prefix(name.rfind('\\') + 1);  // 0 if there is none
    if (is_id) add_user_at(name, names);
  });
}

bool is_terminal(std::string_view word) {
  static constexpr std::string_view kPrefixes[] = {"pts/", "ttyS", "ttyAMA", "tty", "hvc"};
  return word == "console" || word == ":0" ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](auto prefix) {
           return word.starts_with(prefix) && word.size() <= prefix.size() + 3 &&
                  is_digit(at_or_end(word, prefix.size()));
         });
}

bool is_percentage(std::string_view word) {
  return word.find('.') != std::string_view::npos &&
         word.find_first_not_of("0123456789.") == std::string_view::npos;
}

// The first columns of who, w, last, ps and ls -l.
void learn_columns(const LogLine& line, NameReplacer& names) {
  constexpr std::size_t kMaxColumns = 400;  // bytes
  if (!line.is_start) return;
  const auto fields = words(line.text.substr(0, kMaxColumns));
  if (fields.size() < 4) return;
  const bool named = name_at(fields[0]) == fields[0] && !is_digit(fields[0].front());
  const bool who = named && is_terminal(fields[1]) && !is_terminal(fields[0]);
  const bool ps =
      named && is_number(fields[1]) && is_percentage(fields[2]) && is_percentage(fields[3]);
  const bool ls =
      fields.size() > 6 && fields[0].size() >= 10 && is_number(fields[1]) &&
      fields[0].substr(0, 10).find_first_not_of("-dlcbpsrwxStT") == std::string_view::npos;
  if (who || ps) names.add(NameReplacer::kUser, fields[0]);
  if (ls) {
    names.add(NameReplacer::kUser, fields[2]);
    names.add(NameReplacer::kUser, fields[3]);
  }
  // last: "alice pts/0 web02 Thu Nov 21 10:00"; w: "alice pts/0 web02 10:00 1.00s"
  static constexpr std::string_view kDays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  const bool time = contains(kDays, fields[3]) || fields[3].find(':') != std::string_view::npos;
  const bool has_host = who && time && name_at(fields[2]) == fields[2] && fields[2] != "-";
  if (has_host && !is_digit(fields[2].front())) names.add(NameReplacer::kHost, fields[2]);
}

// Paths below which the next component is a user.
void learn_homes(const LogLine& line, NameReplacer& names) {
  for (const std::string_view folder : {"/home/",
                                        "/users/",
                                        "\\users\\",
                                        "/var/spool/cron/",
                                        "/crontabs/",
                                        "/var/mail/",
                                        "/var/spool/mail/",
                                        "/var/lib/systemd/linger/"}) {
    after_each(line, folder, [&](std::string_view rest) {
      const auto name = name_at(rest);
      if (name == "crontabs") return;
      names.add(NameReplacer::kUser, name);
      // "/home/corp.example/alice" of winbind and SSSD
      const bool domain = folder == "/home/" && name.find('.') != std::string_view::npos &&
                          at_or_end(rest, name.size()) == '/';
      if (domain) names.add(NameReplacer::kUser, name_at(rest.substr(name.size() + 1)));
    });
  }
}

// "CORP\alice". After one backslash in quotes, "n" may be a line feed of JSON.
void learn_accounts_of_windows(const LogLine& line, NameReplacer& names) {
  constexpr std::size_t kMinName = 3, kMaxDomain = 15;  // NetBIOS names have 15 characters
  const auto quote = line.text.find('"');
  for (auto at = line.text.find('\\'); at != std::string_view::npos;
       at = line.text.find('\\', at + 1)) {
    const bool twice = at_or_end(line.text, at + 1) == '\\';
    const auto domain = last_name(line.text.substr(0, at));
    const auto user = name_at(line.text.substr(at + (twice ? 2 : 1)));
    if (twice) ++at;
    if (domain.size() < 2 || domain.size() > kMaxDomain || user.size() < kMinName) continue;
    const bool is_domain = std::all_of(domain.begin(), domain.end(), [](char c) {
      return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_';
    });
    const bool escape =
        !twice && std::string_view("nrtbfuxae0").find(user.front()) != std::string_view::npos &&
        quote < at;
    if (!is_domain || !is_alphanumeric(domain.front()) || is_digit(domain.front()) ||
        !is_alphanumeric(domain.back()) || escape)
      continue;
    names.add(NameReplacer::kDomain, domain);
    names.add(NameReplacer::kUser, user);
  }
}

// passwd(5): "alice:x:1000:1000:Alice W.:/home/alice:/bin/bash"; shadow(5): "alice:$6$..."
void learn_account_lines(const LogLine& line, NameReplacer& names) {
  if (!line.is_start) return;
  const auto name = name_at(line.text);
  const auto rest = line.text.substr(name.size());
  if (rest.starts_with(":x:") || rest.starts_with(":*:"))
    names.learn_file("etc/passwd", line.text.substr(0, 4 * kMaxNameLength));
  if (rest.starts_with(":$")) names.add(NameReplacer::kUser, name);
}

// Users in quotes and in options, and before the first field of sudo.
void learn_marked_users(const LogLine& line, NameReplacer& names) {
  for (const std::string_view key : {"user '",
                                     "user \"",
                                     "user: '",
                                     " as '",
                                     "unix-user:",
                                     "user id=",
                                     "--user ",
                                     "--user=",
                                     "--username ",
                                     "--admin-username "}) {
    after_each(line, key, [&](std::string_view rest) { add_user_at(rest, names); });
  }
  const bool login = line.mentions("login") || line.mentions("mysql") || line.mentions("curl ");
  if (login) {
    after_each(line, " -u ", [&](std::string_view rest) { add_user_at(rest, names); });
  }
  if (line.mentions("curl ")) {  // "-ualice:password"
    after_each(line, " -u", [&](std::string_view rest) {
      const auto name = name_at(rest);
      if (rest.substr(name.size()).starts_with(':')) names.add(NameReplacer::kUser, name);
    });
  }
  after_each(line, " -u ", [&](std::string_view rest) {  // Samba: -U user%password
    const auto name = name_at(rest);
    if (rest.substr(name.size()).starts_with('%')) names.add(NameReplacer::kUser, name);
  });
  const auto sudo = line.text.find(" : TTY=");
  if (sudo != std::string_view::npos)
    names.add(NameReplacer::kUser, last_name(line.text.substr(0, sudo)));
}

}  // namespace

void learn_users(const LogLine& line, NameReplacer& names) {
  learn_marked_users(line, names);
  learn_logins(line, names);
  learn_cron(line, names);
  learn_id(line, names);
  learn_columns(line, names);
  learn_homes(line, names);
  learn_accounts_of_windows(line, names);
  learn_account_lines(line, names);
  // "https://alice:secret@web02/"
  after_each(line, "://", [&](std::string_view rest) {
    constexpr std::string_view kBackslash = "%5c";  // "CORP%5Calice"
    const auto user = authority_of(rest).user;
    const auto slash = lower(user).find(kBackslash);
    names.add(NameReplacer::kUser, user);
    if (slash == std::string::npos) return;
    names.add(NameReplacer::kDomain, user.substr(0, slash));
    names.add(NameReplacer::kUser, user.substr(slash + kBackslash.size()));
  });
}

}  // namespace manactl::host
