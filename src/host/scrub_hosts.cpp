// SPDX-License-Identifier: MIT

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "host/scrub_domains.h"
#include "host/scrub_lines.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxHeader = 400;  // bytes of a line that may belong to its header

bool has_digits(std::string_view text, std::string_view shape) {  // '9' stands for a digit
  if (text.size() < shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '9' ? !is_digit(text[i]) && text[i] != ' '
                        : shape[i] != '?' && text[i] != shape[i])
      return false;
  }
  return true;
}

enum class TimeForm {
  none,
  syslog,  // a host and a program always follow
  other    // applications and dmesg(1) print it, too
};

// Whether "T10:00:00.123456+01:00", the end of a time, has the form that rsyslog writes. dmesg(1)
// writes a comma before the fraction, and most applications write "Z" instead of the offset.
bool ends_as_rsyslog(std::string_view time) {
  constexpr std::string_view kOffset = "+99:99";
  if (!time.starts_with('T') || time.size() < kOffset.size()) return false;
  auto offset = std::string(time.substr(time.size() - kOffset.size()));
  if (offset.front() == '-') offset.front() = '+';
  return has_digits(offset, kOffset) && time.find(',') == std::string_view::npos;
}

// Removes the time that begins a line, with its fraction and zone.
TimeForm remove_time(std::string_view& line) {
  // journalctl prints the names of months in the language of the locale: "nov. 21", "Mär 21".
  constexpr std::size_t kMaxMonth = 12;  // bytes
  const auto month = line.substr(0, kMaxMonth).find(' ');
  const bool local = month != std::string_view::npos && month > 2 &&
                     name_at(line.substr(0, month)).size() + 1 >= month &&
                     has_digits(line.substr(month), " 99 99:99:99");
  if (local) line.remove_prefix(month - 3);
  const bool weekday = has_digits(line, "??? 9999-99-99 99:99:99");  // journalctl -o short-full
  if (weekday) line.remove_prefix(4);
  const bool short_time = has_digits(line, "??? 99 99:99:99");
  const bool long_time =
      has_digits(line, "9999-99-99T99:99:99") || has_digits(line, "9999-99-99 99:99:99");
  if (!short_time && !long_time) return TimeForm::none;
  constexpr std::size_t kDate = 10;  // "2024-11-21"
  const auto length = short_time ? 15U : 19U;
  const auto end = std::min(line.find(' ', length), line.size());  // of the fraction and offset
  const bool syslog = short_time || ends_as_rsyslog(line.substr(kDate, end - kDate));
  line.remove_prefix(end);
  if (!weekday) return syslog ? TimeForm::syslog : TimeForm::other;
  line.remove_prefix(std::min<std::size_t>(1, line.size()));
  line.remove_prefix(std::min(line.find(' '), line.size()));  // name of the zone
  return TimeForm::other;
}

// Whether a word is a program with its process id: "sshd[7]:", "(sd-pam)[7]:".
bool is_process(std::string_view word) {
  constexpr std::string_view kFirst = "(/";
  const auto bracket = word.find('[');
  if (bracket == std::string_view::npos || bracket == 0 || !word.ends_with("]:")) return false;
  const auto id = word.substr(bracket + 1, word.size() - bracket - 3);
  const bool starts =
      is_alphanumeric(word.front()) || kFirst.find(word.front()) != std::string_view::npos;
  return starts && !id.empty() && std::all_of(id.begin(), id.end(), is_digit) &&
         word.substr(0, bracket).find(':') == std::string_view::npos;
}

// Whether a word is a program after a time of syslog: "sudo:", "sshd[7]"; but not "0:" of a list.
bool is_program(std::string_view word) {
  if (is_process(word) || is_process(std::string(word) + ":")) return true;
  if (!word.ends_with(':')) return false;
  word.remove_suffix(1);
  return !word.empty() && !is_number(word) && word.find_first_of(":[") == std::string_view::npos;
}

// The host of a line without a time: "web01 sshd[7]: ...".
std::string_view untimed_host(std::string_view line) {
  const auto fields = words(line);
  if (fields.size() < 2 || name_at(fields[0]) != fields[0]) return {};
  const bool strange = fields[0].find_first_of("0123456789-") != std::string_view::npos;
  const bool sentence = fields[0].front() >= 'A' && fields[0].front() <= 'Z' && !strange;
  return (is_process(fields[1]) && !sentence) || (fields[1] == "kernel:" && strange)
             ? fields[0]
             : std::string_view();
}

// The host of a line of syslog or of journalctl: "Nov 21 10:00:00 web01 sshd[7]: ...",
// "2024-11-21T10:00:00Z web01 ...", "[    5.123456] web01 kernel: ...".
std::string_view syslog_host(std::string_view line) {
  line = line.substr(0, kMaxHeader);
  if (line.starts_with('<')) line.remove_prefix(std::min(line.find('>') + 1, line.size()));
  const bool rfc5424 = line.starts_with("1 ");
  if (rfc5424) line.remove_prefix(2);
  const auto form = remove_time(line);
  if (form == TimeForm::none) {  // journalctl -o short-monotonic and -o short-unix
    const auto end = line.find_first_not_of("[ 0123456789.");
    const bool seconds = end != std::string_view::npos && end > 0 && is_digit(line[end - 1]);
    const bool closed = end != std::string_view::npos && end > 6 && line[end] == ']';
    const bool unix_time = end != std::string_view::npos && end > 12 && line[end - 1] == ' ' &&
                           line[end - 2] != ' ' && line.front() != '[';
    if (!(closed && seconds) && !unix_time) return untimed_host(line);
    line.remove_prefix(closed ? end + 1 : end);
  }
  const auto fields = words(line);
  if (fields.size() < 2 || name_at(fields[0]) != fields[0]) return {};
  const bool named = rfc5424 || is_process(fields[1]) || fields[1] == "kernel:" ||
                     (form == TimeForm::syslog && is_program(fields[1]));
  const bool repeated =
      form != TimeForm::none && line.find(" last message repeated ") == fields[0].size() + 1;
  return named || repeated ? fields[0] : std::string_view();
}

// "Connection to web02 closed.", "connected to web02 port 22", "Connecting to web02 [10.0.0.5]"
void learn_peers(const LogLine& line, NameReplacer& names) {
  static constexpr std::string_view kTails[] = {
      " port ", " [", " (", " closed", ", port", " failed", " refused", " timed out"};
  for (const std::string_view phrase : {"connecting to ",
                                        "connected to ",
                                        "connection to ",
                                        "connection from ",
                                        "authenticating to ",
                                        "traceroute to ",
                                        "connect to ",
                                        "closed by remote host "}) {
    after_each(line, phrase, [&](std::string_view rest) {
      const auto name = name_at(rest);
      const auto tail = rest.substr(name.size());
      const bool is_host = std::any_of(
          std::begin(kTails), std::end(kTails), [&](auto one) { return tail.starts_with(one); });
      const bool port = tail.starts_with(':') && is_digit(at_or_end(tail, 1));
      if (is_host || port) names.add(NameReplacer::kHost, name);
    });
  }
  const bool from = line.mentions("icmp_seq") || line.mentions("last login: ");
  if (from)
    after_each(line, "from ", [&](auto rest) { names.add(NameReplacer::kHost, name_at(rest)); });
  if (line.mentions("sshd")) {
    after_each(line, "from ", [&](std::string_view rest) {
      const auto name = name_at(rest);
      const auto tail = rest.substr(name.size());
      if (tail.starts_with(" port ") || tail.starts_with(" not allowed"))
        names.add(NameReplacer::kHost, name);
    });
  }
  const bool nfs = line.mentions("nfs") || line.mentions("lockd") || line.mentions("cifs");
  if (nfs)
    after_each(line, "server ", [&](auto rest) { names.add(NameReplacer::kHost, name_at(rest)); });
}

// Texts of ping, ssh, iperf, traceroute and curl that a host follows.
void learn_phrases(const LogLine& line, NameReplacer& names) {
  if (line.is_start && line.text.starts_with("PING ")) {
    names.add(NameReplacer::kHost, name_at(line.text.substr(5)));
  }
  for (const std::string_view phrase : {"bytes from ",
                                        "connect to host ",
                                        "connecting to host ",
                                        "resolve hostname ",
                                        "resolve host: ",
                                        "resolve host '",
                                        "authenticity of host '",
                                        "permanently added '",
                                        "mount to nfs server '",
                                        "name of host ",
                                        "hostname to <",
                                        "hostname set to <"}) {
    after_each(line, phrase, [&](std::string_view rest) {
      names.add(NameReplacer::kHost, name_at(rest));
    });
  }
  learn_peers(line, names);
  if (!line.is_start) return;
  const auto fields = words(line.text.substr(0, kMaxHeader));
  const bool statistics = line.text.starts_with("--- ") && line.mentions(" ping statistics");
  const bool unresolved = line.text.starts_with("ping: ") &&
                          (line.mentions("not known") || line.mentions("resolution"));
  if ((statistics || unresolved) && fields.size() > 1)
    names.add(NameReplacer::kHost, name_at(fields[1]));
  // traceroute: " 3  web02 (10.0.0.5)  0.512 ms"
  const bool hop = fields.size() > 3 && is_number(fields[0]) && fields[2].starts_with('(') &&
                   fields[2].ends_with(')') && is_digit(fields[2][1]);
  // The prompt of getty: "web01 login: alice"
  const bool login = fields.size() > 1 && fields[1] == "login:" && fields[0] != "Last" &&
                     name_at(fields[0]) == fields[0];
  if (login) names.add(NameReplacer::kHost, fields[0]);
  if (login && fields.size() == 3) names.add(NameReplacer::kUser, fields[2]);
  if (hop) names.add(NameReplacer::kHost, fields[1]);
  const bool uname = line.text.starts_with("Linux ") && !line.text.starts_with("Linux version");
  if (uname && fields.size() > 2 && is_digit(fields[2].front()))
    names.add(NameReplacer::kHost, fields[1]);
  // known_hosts: "web02,10.0.0.5 ssh-ed25519 AAAA..."
  const bool known = fields.size() > 2 && fields[2].starts_with("AAAA");
  for (const auto host : split(known ? fields[0] : "", ',')) {
    if (name_at(host) == host) names.add(NameReplacer::kHost, host);
  }
}

// "nas01:/export", "//store1/pay" and "\\store1\pay"; paths without a server are not shares.
void learn_shares(const LogLine& line, NameReplacer& names) {
  const bool is_nfs = line.mentions("nfs") || line.mentions("mount") || line.mentions("ceph");
  after_each(line, ":/", [&](std::string_view rest) {
    const auto before = line.text.substr(0, line.text.size() - rest.size() - 2);
    const auto server = last_name(before);
    const bool starts =
        before.size() == server.size() || before[before.size() - server.size() - 1] == ' ';
    if (!is_nfs || !starts || server.find('@') != std::string_view::npos || is_ignored(server) ||
        rest.starts_with('/'))
      return;
    const auto path = rest.substr(0, rest.substr(0, kMaxNameLength).find_first_of(" \t,;'\""));
    names.add(NameReplacer::kHost, server);
    names.add_whole(
        NameReplacer::kName,
        line.text.substr(before.size() - server.size(), server.size() + 2 + path.size()));
  });
  for (const std::string_view opening : {"//", "\\\\"}) {
    for (auto at = line.text.find(opening); at != std::string_view::npos;
         at = line.text.find(opening, at + 2)) {
      const bool url = at > 0 && (line.text[at - 1] == ':' || is_alphanumeric(line.text[at - 1]));
      const auto host = name_at(line.text.substr(at + 2));
      const auto end = at + 2 + host.size();
      if (url || host.empty() || at_or_end(line.text, end) != opening.front()) continue;
      const auto share = name_at(line.text.substr(end + 1));
      names.add(NameReplacer::kHost, host);
      names.add_whole(NameReplacer::kName, line.text.substr(at, end + 1 + share.size() - at));
    }
  }
}

// Names with dots that end as a host of the Internet or of an intranet does.
void learn_full_names(const LogLine& line, NameReplacer& names) {
  for (auto at = line.text.find('.'); at != std::string_view::npos;) {
    const auto before = last_name(line.text.substr(0, at));
    const auto start = at - before.size();
    const auto name = name_at(line.text.substr(start));
    if (begins_word(line.text, start) && is_full_name(name)) names.add_full_name(name);
    at = line.text.find('.', std::max(at + 1, start + name.size()));
  }
}

}  // namespace

void learn_hosts(const LogLine& line, NameReplacer& names) {
  if (line.is_start) names.add(NameReplacer::kHost, syslog_host(line.text));
  learn_phrases(line, names);
  learn_shares(line, names);
  learn_full_names(line, names);
}

}  // namespace manactl::host
