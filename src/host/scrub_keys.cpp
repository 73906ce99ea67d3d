// SPDX-License-Identifier: MIT

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text.h"
#include "host/scrub_keyword.h"
#include "host/scrub_lines.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

struct Key {
  std::string_view text, kind;
  bool allows_colon = false;  // may be followed by ": " and a text until the end of the line
};

constexpr Key kKeys[] = {{"user", NameReplacer::kUser},
                         {"username", NameReplacer::kUser},
                         {"ruser", NameReplacer::kUser},
                         {"logname", NameReplacer::kUser},
                         {"acct", NameReplacer::kUser},
                         {"auid", NameReplacer::kUser},
                         {"uid", NameReplacer::kUser},
                         {"euid", NameReplacer::kUser},
                         {"suid", NameReplacer::kUser},
                         {"fsuid", NameReplacer::kUser},
                         {"ouid", NameReplacer::kUser},
                         {"adminusername", NameReplacer::kUser},
                         {"sudo_user", NameReplacer::kUser},
                         {"userprincipalname", NameReplacer::kUser},
                         {"hostname", NameReplacer::kHost, true},
                         {"_hostname", NameReplacer::kHost},
                         {"rhost", NameReplacer::kHost},
                         {"server", NameReplacer::kHost},
                         {"nodename", NameReplacer::kHost, true},
                         {"computername", NameReplacer::kHost, true},
                         {"vmname", NameReplacer::kHost, true},
                         {"host", NameReplacer::kHost},
                         {"login", NameReplacer::kUser},
                         {"owner", NameReplacer::kUser},
                         {"principal", NameReplacer::kUser},
                         {"realm", NameReplacer::kDomain},
                         {"workgroup", NameReplacer::kDomain},
                         {"tenant", NameReplacer::kDomain},
                         {"nisdomain", NameReplacer::kDomain},
                         {"fqdn", NameReplacer::kHost, true},
                         {"unc", NameReplacer::kName},
                         {"domain", NameReplacer::kDomain},
                         {"dom", NameReplacer::kDomain},
                         {"domains", NameReplacer::kDomain},
                         {"accountname", NameReplacer::kName},
                         {"sharedaccesskeyname", NameReplacer::kName},
                         {"resourcegroup", NameReplacer::kName, true},
                         {"resourcegroupname", NameReplacer::kName, true},
                         {"resource_group", NameReplacer::kName, true},
                         {"resource_group_name", NameReplacer::kName, true},
                         {"vmscalesetname", NameReplacer::kName, true}};

// The value after "key=", without quotes.
std::string_view value_at(std::string_view text) {
  text = text.substr(0, kMaxNameLength);
  while (!text.empty() && (text.front() == '"' || text.front() == '\'' || text.front() == '\\'))
    text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t,;\"'&()\\"));
}

// The word that ends at the end of `text`, or its end.
std::string last_key(std::string_view text) {
  text.remove_prefix(text.size() - std::min(text.size(), kMaxKey));
  const auto word = std::find_if_not(
      text.rbegin(), text.rend(), [](char c) { return is_alphanumeric(c) || c == '_'; });
  return lower(text.substr(static_cast<std::size_t>(text.rend() - word)));
}

void learn_key_at(std::string_view text, std::size_t at, NameReplacer& names) {
  auto before = text.substr(0, at);
  const bool quoted = before.ends_with('"');  // in JSON
  for (int i = 0; i < 16 && text[at] == ':' && before.ends_with(' '); ++i) before.remove_suffix(1);
  while (before.ends_with('"') || before.ends_with('\\')) before.remove_suffix(1);
  const auto name = last_key(before);
  // "db_user" and "ANSIBLE_HOST" name the same as "user" and "host".
  const auto last = std::string_view(name).substr(name.rfind('_') + 1);
  const auto* known = std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& one) {
    return one.text == name || one.text == last;
  });
  if (known == std::end(kKeys)) return;
  const bool title = text[at] == ':' && !quoted;
  if (title && !(known->allows_colon && at_or_end(text, at + 1) == ' ')) return;
  auto value = text.substr(at + 1);
  if ((quoted || title) && value.starts_with(' ')) value.remove_prefix(1);
  if (title) value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  const auto text_value = value_at(value);
  const bool is_name = !text_value.empty() &&
                       (is_alphanumeric(text_value.front()) ||
                        std::string_view("_/[").find(text_value.front()) != std::string_view::npos);
  if (is_name) names.add(known->kind, text_value);
  const bool pretty = title && before.ends_with("Pretty hostname");  // may contain blanks
  if (pretty) names.add_whole(NameReplacer::kHost, trim(value.substr(0, kMaxNameLength)));
}

// An attribute of a distinguished name, as certificates and LDAP have it (RFC 4514).
constexpr std::string_view kAttributes[] = {"cn", "o", "ou"};

// Adds the value at the start of `rest`, which may contain blanks: "web01.corp.example", "Contoso
// Ltd, CN = x". Names of distributions and of Microsoft are public.
void learn_attribute(std::string_view rest, NameReplacer& names) {
  rest = rest.substr(0, kMaxNameLength);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const bool is_quoted = rest.starts_with('"');  // it may contain a comma
  if (is_quoted) rest.remove_prefix(1);
  auto value = rest.substr(0, rest.find_first_of(is_quoted ? "\"" : ",/+\"<;"));
  while (value.ends_with(' ') || value.ends_with('\'') || value.ends_with('\\'))
    value.remove_suffix(1);
  if (value.starts_with("*.")) value.remove_prefix(2);
  if (value.find(' ') == std::string_view::npos)
    names.add(value.find('.') == std::string_view::npos ? NameReplacer::kName : NameReplacer::kHost,
              value);
  else if (!is_ignored(first_word(value)))
    names.add_whole(NameReplacer::kName, value);
}

// "subject=C = US, O = Contoso Ltd, CN = web01", "issuer=/O=Contoso/CN=web01", "CN=x,OU=y,DC=z"
void learn_distinguished_names(const LogLine& line, NameReplacer& names) {
  static constexpr std::string_view kMarks[] = {"cn=", "cn =", "subject", "issuer"};
  const bool has_name = std::any_of(
      std::begin(kMarks), std::end(kMarks), [&](auto mark) { return line.mentions(mark); });
  if (!has_name) return;
  for (const auto attribute : kAttributes) {
    for (const std::string_view separator : {"=", " ="}) {
      const auto key = std::string(attribute) + std::string(separator);
      after_each(line, key, [&](std::string_view rest) { learn_attribute(rest, names); });
    }
  }
}

}  // namespace

void learn_keys(const LogLine& line, NameReplacer& names) {
  for (auto at = line.text.find_first_of("=:"); at != std::string_view::npos;
       at = line.text.find_first_of("=:", at + 1)) {
    learn_key_at(line.text, at, names);
  }
  learn_distinguished_names(line, names);
  after_each(line, "serial number: ", [&](std::string_view rest) {
    names.add(NameReplacer::kName, name_at(rest));
  });
}

}  // namespace manactl::host
