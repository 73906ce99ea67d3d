// SPDX-License-Identifier: MIT

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "host/scrub_domains.h"
#include "host/scrub_lines.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxPrompt = 400;  // bytes

bool is_ipv4(std::string_view text) {
  const auto numbers = split(text, '.');
  return numbers.size() == 4 && std::all_of(numbers.begin(), numbers.end(), [](auto number) {
           return parse_unsigned(number, UINT8_MAX).has_value();
         });
}

// Public domains of companies, whose mail addresses are those of persons. Other public names follow
// '@' in names of programs and protocols, such as "aes256-gcm@openssh.com".
bool is_company(std::string_view host) {
  static constexpr std::string_view kCompanies[] = {
      "microsoft.com", "redhat.com", "suse.com", "canonical.com"};
  return contains(kCompanies, lower(host));
}

void add_user_and_host(std::string_view user, std::string_view host, NameReplacer& names) {
  user = user.substr(user.rfind('@') + 1);
  names.add(NameReplacer::kUser, user);
  names.add(NameReplacer::kHost, host);
}

// Removes what may precede a prompt: blanks, "(venv) ", and the bracket of RHEL.
std::string_view without_prefix(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.starts_with('(')) line.remove_prefix(std::min(line.find(')') + 1, line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(" ["), line.size()));
  return line;
}

// Whether a prompt ends behind its folder: "dir]$ ", "[ ~ ]# ", " ~ % ", ":~ #", " ~> ".
bool ends_as_prompt(std::string_view rest) {
  const auto end = rest.find_first_of("$#%>");
  if (end == std::string_view::npos || (end + 1 < rest.size() && rest[end + 1] != ' '))
    return false;
  const auto folder = trim(rest.substr(0, end));
  return folder.find_first_of("=<\"|") == std::string_view::npos && words(folder).size() <= 3;
}

// "[alice@web01 ~]$", "alice@web01 [ ~ ]$", "alice@web01 ~ %", "alice@web01:~$", "web01:~ #",
// "web01%". The prompt of the kernel's messages "[    5.1] ..." has no '@'.
void learn_prompt(std::string_view line, NameReplacer& names) {
  line = without_prefix(line.substr(0, kMaxPrompt));
  const auto name = name_at(line);
  const auto rest = line.substr(name.size());
  const auto at = name.find('@');
  if (at == std::string_view::npos) {
    const bool zsh =
        rest.starts_with("% ") && name.find_first_of("0123456789-") != std::string_view::npos;
    const bool home = (rest.starts_with(" ~ % ") || rest.starts_with(" ~ # ")) && !is_ignored(name);
    const bool suse = rest.starts_with(":~ #") || rest.starts_with(":~ >") ||
                      rest.starts_with(":~#") || rest.starts_with(":~$");
    if ((zsh || home || suse) && !is_number(name)) names.add(NameReplacer::kHost, name);
    return;
  }
  const bool spaced = rest.starts_with(' ') || rest.starts_with(':') || rest.starts_with("% ") ||
                      rest.starts_with("# ") || rest.starts_with("$ ") || rest.starts_with("> ");
  if (spaced && at > 0 && ends_as_prompt(rest))
    add_user_and_host(name.substr(0, at), name.substr(at + 1), names);
}

// Whether a command may begin at `at`: behind a prompt, a separator or "COMMAND=".
bool is_command_at(std::string_view text, std::size_t at) {
  const auto before =
      trim(text.substr(at - std::min(at, kMaxNameLength), std::min(at, kMaxNameLength)));
  if (before.empty()) return false;  // prose may begin with "ping" or "host"
  return std::string_view("$#%>;|&=/`").find(before.back()) != std::string_view::npos ||
         before.ends_with(" sudo");
}

// The words among the arguments of a command that may be its host.
enum class HostForm { any_word, user_or_colon, user_at_host };

// Adds the host of a command's arguments: the first that is neither an option nor its value.
void learn_target(std::string_view arguments, HostForm form, NameReplacer& names) {
  constexpr std::string_view kWithValue = "bcDEeFIiJLlmOopQRSsWwt";
  const auto fields =
      words(arguments.substr(0, arguments.substr(0, kMaxPrompt).find_first_of("|;&>")));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto field = fields[i];
    if (field.starts_with('-')) {
      const bool value = field.size() == 2 && kWithValue.find(field[1]) != std::string_view::npos;
      const bool client = field == "-c" && form == HostForm::user_or_colon;  // iperf3 -c HOST
      const bool user = field == "-l" && i + 1 < fields.size();
      if (user && form == HostForm::any_word) names.add(NameReplacer::kUser, fields[i + 1]);
      if (value && !client) ++i;
      continue;
    }
    const auto name = name_at(field);
    const auto at = name.find('@');
    const bool marked = at != std::string_view::npos || field.substr(name.size()).starts_with(':');
    const bool client = form == HostForm::user_or_colon && i > 0 && fields[i - 1] == "-c";
    if (form == HostForm::user_at_host && at == std::string_view::npos) continue;
    if (form == HostForm::user_or_colon && !marked && !client) continue;
    if (at != std::string_view::npos) names.add(NameReplacer::kUser, name.substr(0, at));
    names.add(NameReplacer::kHost, at == std::string_view::npos ? name : name.substr(at + 1));
    return;
  }
}

void learn_commands(const LogLine& line, NameReplacer& names) {
  struct Program {
    std::string_view name;
    HostForm form = HostForm::any_word;
  };

  static constexpr Program kPrograms[] = {{"ssh "},
                                          {"ping "},
                                          {"ping6 "},
                                          {"traceroute "},
                                          {"tracepath "},
                                          {"mtr "},
                                          {"telnet "},
                                          {"nslookup "},
                                          {"host "},
                                          {"sftp "},
                                          {"ssh-copy-id "},
                                          {"scp ", HostForm::user_or_colon},
                                          {"rsync ", HostForm::user_or_colon},
                                          {"iperf3 ", HostForm::user_or_colon},
                                          {"iperf ", HostForm::user_or_colon}};
  for (const auto& program : kPrograms) {
    after_each(line, program.name, [&](std::string_view rest) {
      const auto at = line.text.size() - rest.size() - program.name.size();
      learn_target(
          rest, is_command_at(line.text, at) ? program.form : HostForm::user_at_host, names);
    });
  }
}

// "alice@corp.example", "alice@web01:/srv$", "alice@web01's password:"
void learn_mail(const LogLine& line, NameReplacer& names) {
  // The comment of a public key of SSH
  const bool comment = line.mentions("ssh-rsa aaaa") || line.mentions("ssh-ed25519 aaaa") ||
                       line.mentions("ecdsa-sha2-");
  for (auto at = line.text.find('@'); at != std::string_view::npos;
       at = line.text.find('@', at + 1)) {
    const auto host = name_at(line.text.substr(at + 1));
    const auto rest = line.text.substr(at + 1 + host.size());
    if (last_name(line.text.substr(0, at)).empty()) continue;
    const bool prompt = rest.starts_with(":~") || rest.starts_with(":/") || rest.starts_with("'s ");
    const auto dot = host.rfind('.');
    const bool mail = is_company(host) || is_ipv4(host) ||
                      (dot != std::string_view::npos && !is_unit_type(host.substr(dot + 1)) &&
                       !is_public_name(host));
    if (!prompt && !mail && !(comment && !is_public_name(host))) continue;
    const auto user = last_name(line.text.substr(0, at));
    auto before = line.text.substr(0, at - user.size());
    const bool joined = before.ends_with(':');
    if (joined) before.remove_suffix(1 + last_name(before.substr(0, before.size() - 1)).size());
    const bool password = joined && before.ends_with("://");
    add_user_and_host(password ? std::string_view() : user, host, names);
  }
}

}  // namespace

void learn_prompts(const LogLine& line, NameReplacer& names) {
  if (line.is_start) learn_prompt(line.text, names);
  learn_commands(line, names);
  learn_mail(line, names);
}

}  // namespace manactl::host
