// SPDX-License-Identifier: MIT

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "host/scrub_domains.h"
#include "host/scrub_lines.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

// A text that a name follows.
struct Phrase {
  std::string_view kind, text;    // in lower case
  std::string_view context = {};  // what else the line contains
};

constexpr Phrase kPhrases[] = {
    // PAM, login and useradd
    {NameReplacer::kUser, "user `"},
    {NameReplacer::kUser, "for `"},
    {NameReplacer::kHost, "from `"},
    {NameReplacer::kUser, "user \xe2\x80\x98"},
    {NameReplacer::kUser, "user \xe2\x80\x9c"},
    // waagent and cloud-init
    {NameReplacer::kHost, "set hostname ["},
    {NameReplacer::kHost, "publishing hostname "},
    {NameReplacer::kUser, "user account "},
    {NameReplacer::kUser, "user ", "already exists"},
    {NameReplacer::kUser, "adding user "},
    {NameReplacer::kUser, "for user ", "ssh key"},
    {NameReplacer::kHost, "hostname to "},
    {NameReplacer::kHost, "hostname to '"},
    // kubelet and containerd
    {NameReplacer::kHost, " node=\""},
    {NameReplacer::kHost, "nodes \"", "not found"},
    {NameReplacer::kHost, "--hostname-override="},
    {NameReplacer::kHost, "--hostname-override "},
    {NameReplacer::kHost, "--node-name="},
    {NameReplacer::kHost, "--node-name "},
    {NameReplacer::kName, "{name:", "metadata{"},
    {NameReplacer::kName, ",namespace:", "metadata{"},
    // NetworkManager, chronyd, OVS and OVN
    {NameReplacer::kHost, "hostname changed from \""},
    {NameReplacer::kHost, "\" to \"", "hostname changed from "},
    {NameReplacer::kHost, "selected source "},
    {NameReplacer::kHost, "could not resolve ", "chronyd"},
    {NameReplacer::kHost, "system-id="},
    {NameReplacer::kHost, "system-id=\""},
    {NameReplacer::kHost, "chassis \""},
    {NameReplacer::kName, "lport "},
    // DPDK
    {NameReplacer::kName, "--file-prefix="},
    {NameReplacer::kName, "--file-prefix "}};

// Words that follow a phrase and are not names, such as names of clocks.
bool is_usual(std::string_view name) {
  static constexpr std::string_view kUsual[] = {"rte", "for", "with", "using", "was", "already"};
  return contains(kUsual, lower(name)) || name.starts_with("PHC") || name.starts_with("PPS");
}

// "=> 'name'" with several blanks before it, as NetworkManager prints options of DHCP
void learn_dhcp_options(const LogLine& line, NameReplacer& names) {
  static constexpr Phrase kOptions[] = {{NameReplacer::kHost, "option host_name "},
                                        {NameReplacer::kDomain, "option domain_name "},
                                        {NameReplacer::kHost, "option fqdn_fqdn "}};
  for (const auto& option : kOptions) {
    after_each(line, option.text, [&](std::string_view rest) {
      constexpr std::string_view kGap = " =>'";
      rest = rest.substr(0, kMaxNameLength);
      names.add(option.kind,
                name_at(rest.substr(std::min(rest.find_first_not_of(kGap), rest.size()))));
    });
  }
}

// Hosts of URLs without a dot: "http://web01:8080/x". Other names are in learn_hosts().
void learn_urls(const LogLine& line, NameReplacer& names) {
  static constexpr std::string_view kNoHosts[] = {
      "file", "unix", "docker", "oci", "containerd", "image", "docker-image", "vfio", "index"};
  after_each(line, "://", [&](std::string_view rest) {
    const auto scheme =
        last_name(line.text.substr(0, line.text.size() - rest.size() - std::size("://") + 1));
    const auto host = name_at(authority_of(rest).host);
    const bool dotted = host.find('.') != std::string_view::npos;
    if (!dotted && !contains(kNoHosts, lower(scheme))) names.add(NameReplacer::kHost, host);
  });
}

// "iqn.2003-01.org.linux-iscsi.web01.x8664:sn.d83c"
void learn_iscsi(const LogLine& line, NameReplacer& names) {
  constexpr std::string_view kPrefix = "iqn.";
  after_each(line, kPrefix, [&](std::string_view rest) {
    if (!is_digit(at_or_end(rest, 0))) return;
    const auto length = rest.substr(0, kMaxNameLength).find_first_of(" \t,;'\"()[]<>");
    const auto start = line.text.size() - rest.size() - kPrefix.size();
    names.add_whole(NameReplacer::kName,
                    line.text.substr(start, std::min(length, rest.size()) + kPrefix.size()));
  });
}

// Tables of loginctl: "3 1000 alice seat0 tty1", "1000 alice no"
void learn_sessions(const LogLine& line, NameReplacer& names) {
  constexpr std::size_t kMaxColumns = 200, kMinDigits = 4;
  if (!line.is_start) return;
  const auto fields = words(line.text.substr(0, kMaxColumns));
  const auto is_uid = [&](std::size_t i) {
    return i < fields.size() && fields[i].size() >= kMinDigits &&
           std::all_of(fields[i].begin(), fields[i].end(), is_digit);
  };
  const auto is_name = [&](std::size_t i) {
    return i < fields.size() && name_at(fields[i]) == fields[i] && !is_digit(fields[i].front());
  };
  const bool session =
      is_uid(1) && is_name(2) && std::any_of(fields.begin() + 3, fields.end(), [](auto field) {
        return field.starts_with("pts/") || field.starts_with("tty") || field.starts_with("seat");
      });
  const bool user = is_uid(0) && is_name(1) && fields.size() > 2 && fields.size() < 5 &&
                    (fields[2] == "yes" || fields[2] == "no");
  if (session) names.add(NameReplacer::kUser, fields[2]);
  if (user) names.add(NameReplacer::kUser, fields[1]);
}

}  // namespace

void learn_services(const LogLine& line, NameReplacer& names) {
  for (const auto& phrase : kPhrases) {
    if (!phrase.context.empty() && !line.mentions(phrase.context)) continue;
    after_each(line, phrase.text, [&](std::string_view rest) {
      const auto name = name_at(rest);
      const bool quoted = phrase.text.ends_with('`');  // "user `alice'", but not `command`
      const bool ends = !quoted || at_or_end(rest, name.size()) == '\'';
      if (ends && !is_usual(name)) names.add(phrase.kind, name);
    });
  }
  if (line.mentions("selected source ")) {
    after_each(line, " (", [&](std::string_view rest) {
      if (!rest.starts_with('/')) names.add(NameReplacer::kHost, name_at(rest));
    });
  }
  learn_dhcp_options(line, names);
  learn_urls(line, names);
  learn_iscsi(line, names);
  learn_sessions(line, names);
}

void learn_metadata(std::string_view text, NameReplacer& names) {
  constexpr std::size_t kWindow = 16U << 10U;
  constexpr std::string_view kId = "\"vmId\"", kName = "\"name\"";
  std::size_t from = 0;
  for (auto id = text.find(kId); id != std::string_view::npos;) {
    const auto end = std::min(text.size(), id + kWindow);
    auto at = text.find(kName, std::max(from, id - std::min(id, kWindow)));
    for (; at < end; at = text.find(kName, at + 1)) {
      constexpr std::string_view kGap = " :\"";
      const auto value = text.substr(at + kName.size(), kMaxNameLength);
      names.add(NameReplacer::kHost,
                name_at(value.substr(std::min(value.find_first_not_of(kGap), value.size()))));
    }
    from = end;
    id = text.find(kId, end);
  }
}

}  // namespace manactl::host
