// SPDX-License-Identifier: MIT

#include "host/scrub_names.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "host/scrub_text.h"

namespace manactl::host {
namespace {

// Words that identify nobody and that logs, captured files or JSON files use.
constexpr std::string_view kWords[] = {"localhost",   "localdomain",
                                       "root",        "user",
                                       "users",       "host",
                                       "name",        "mana",
                                       "mana_ib",     "ib_uverbs",
                                       "ib_core",     "hv_netvsc",
                                       "netvsc",      "uio_hv_generic",
                                       "mlx5_core",   "mlx5_ib",
                                       "vmbus",       "dpdk",
                                       "eal",         "pmd",
                                       "net_mana",    "net_netvsc",
                                       "testpmd",     "dpdk-testpmd",
                                       "kernel",      "linux",
                                       "ubuntu",      "debian",
                                       "azure",       "azureuser",
                                       "microsoft",   "error",
                                       "message",     "code",
                                       "evidence",    "presence",
                                       "loaded",      "missing",
                                       "available",   "builtin",
                                       "blacklisted", "not_found",
                                       "denied",      "invalid",
                                       "illegal",     "unknown",
                                       "the",         "from",
                                       "for",         "file",
                                       "directory",   "port",
                                       "device",      "driver",
                                       "network",     "systemd",
                                       "etc",         "run",
                                       "usr",         "lib",
                                       "sys",         "proc",
                                       "dev",         "home",
                                       "mnt",         "none",
                                       "null",        "true",
                                       "false",       "yes",
                                       "sshd",        "sudo",
                                       "publickey",   "password",
                                       "hugepages",   "hugetlbfs"};

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-$@+";

// Of a name, and of different lengths of the names with the same first word. They bound the time.
constexpr std::size_t kMaxNameLength = 255, kMaxNameLengths = 100;

bool is_number(std::string_view text) {
  if (text.starts_with("0x")) return std::all_of(text.begin() + 2, text.end(), is_hex);
  return std::all_of(
      text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.' || c == ':'; });
}

bool is_ignored(std::string_view name) {
  constexpr std::size_t kMinLength = 3;  // a shorter name would match other words
  return name.size() < kMinLength || is_number(name) ||
         std::find(std::begin(kWords), std::end(kWords), lower(name)) != std::end(kWords);
}

// The name at the start of `text`.
std::string_view name_at(std::string_view text) {
  text = text.substr(0, kMaxNameLength);
  auto name = text.substr(0, text.find_first_not_of(kNameCharacters));
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.remove_suffix(1);
  return name;
}

// Whether a name ends as that of a unit of systemd: "getty@tty1.service".
bool is_unit_type(std::string_view suffix) {
  static constexpr std::string_view kTypes[] = {
      "service", "socket", "mount", "device", "slice", "timer", "target", "scope"};
  return std::find(std::begin(kTypes), std::end(kTypes), suffix) != std::end(kTypes) ||
         std::any_of(suffix.begin(), suffix.end(), is_digit);
}

// The name that ends at the end of `text`.
std::string_view last_name(std::string_view text) {
  text.remove_prefix(text.size() - std::min(text.size(), kMaxNameLength));
  return text.substr(text.find_last_not_of(kNameCharacters) + 1);
}

// The value after "key=", without quotes.
std::string_view value_at(std::string_view text) {
  text = text.substr(0, kMaxNameLength);
  while (!text.empty() && (text.front() == '"' || text.front() == '\'' || text.front() == '\\'))
    text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t,;\"'&)\\"));
}

// The first word of a name, or its first character if that is not in a word.
std::string_view first_word(std::string_view name) {
  name = name.substr(0, kMaxNameLength + 1);
  const auto end = std::find_if_not(name.begin(), name.end(), is_alphanumeric);
  const auto length = static_cast<std::size_t>(end - name.begin());
  return name.substr(0, std::max<std::size_t>(length, 1));
}

bool has_digits(std::string_view text, std::string_view shape) {  // '9' stands for a digit
  if (text.size() < shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '9' ? !is_digit(text[i]) && text[i] != ' '
                        : shape[i] != '?' && text[i] != shape[i])
      return false;
  }
  return true;
}

// The host of a syslog line: "Nov 21 10:00:00 web01 sshd[7]: ...", "2024-11-21T10:00:00Z web01
// ...".
std::string_view syslog_host(std::string_view line) {
  if (line.starts_with('<')) line.remove_prefix(std::min(line.find('>') + 1, line.size()));
  const bool rfc5424 = line.starts_with("1 ");
  if (rfc5424) line.remove_prefix(2);
  const bool short_time = has_digits(line, "??? 99 99:99:99");
  const bool long_time =
      has_digits(line, "9999-99-99T99:99:99") || has_digits(line, "9999-99-99 99:99:99");
  if (!short_time && !long_time) return {};
  line.remove_prefix(short_time ? 15 : 19);
  line.remove_prefix(std::min(line.find(' '), line.size()));  // fraction and time zone
  const auto fields = words(line.substr(0, 400));
  if (fields.size() < 2) return {};
  const bool named =
      rfc5424 || fields[1].ends_with(':') || fields[1].find('[') != std::string_view::npos;
  return named && name_at(fields[0]) == fields[0] ? fields[0] : std::string_view();
}

// Whether a path is one that distributions and manuals use: "/dev/hugepages1G", "/mnt/huge".
bool is_usual_mount(std::string_view path) {
  constexpr std::string_view kPool = "/dev/hugepages";
  if (path == "/" || path == "/mnt/huge") return true;
  return path.starts_with(kPool) &&
         path.find_first_not_of("-0123456789kKMGB", kPool.size()) == std::string_view::npos;
}

// Calls visit(rest) with the text after each occurrence of `key`, which begins a word.
template <class Visit>
void after_each(std::string_view line, std::string_view key, Visit visit) {
  const auto equal = [](char a, char b) { return lower(a) == b; };
  for (auto from = line.begin();;) {
    const auto found = std::search(from, line.end(), key.begin(), key.end(), equal);
    if (found == line.end()) return;
    const auto at = static_cast<std::size_t>(found - line.begin());
    from = found + 1;
    if (is_alphanumeric(key.front()) && !begins_word(line, at)) continue;
    visit(line.substr(at + key.size()));
  }
}

}  // namespace

void NameReplacer::insert(std::string_view kind, std::string_view name) {
  const auto text = lower(name);
  if (is_full_ || name.size() > kMaxNameLength) return;
  if (!names_.try_emplace(text, Name{kind, ""}).second) return;
  auto& lengths = lengths_[std::string(first_word(text))];
  lengths.insert(text.size());
  is_full_ = names_.size() >= kMaxKnown || lengths.size() > kMaxNameLengths;
}

void NameReplacer::add(std::string_view kind, std::string_view name) {
  while (name.ends_with('.') || name.ends_with('$')) name.remove_suffix(1);
  while (name.starts_with('.') || name.starts_with('~')) name.remove_prefix(1);
  if (is_ignored(name)) return;
  const auto dot = name.find('.');
  if (kind == kHost && dot != std::string_view::npos) {
    add(kHost, name.substr(0, dot));
    return add(kDomain, name.substr(dot + 1));
  }
  insert(kind, name);
}

void NameReplacer::learn_account(std::string_view line) {
  constexpr std::uint64_t kFirstUser = 1000;  // UID_MIN of login.defs(5)
  constexpr std::uint64_t kNobody = 65534;
  const auto fields = split(line, ':');
  if (fields.size() < 6) return;
  const auto uid = parse_unsigned(fields[2], UINT32_MAX);
  if (!uid || *uid < kFirstUser || *uid == kNobody) return;
  add(kUser, fields[0]);
  for (const auto part : split(fields[4], ',')) add(kUser, trim(part));
}

void NameReplacer::learn_hosts_file(std::string_view line) {
  const auto fields = words(line);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (!fields[i].starts_with("ip6-") && !fields[i].starts_with("localhost"))
      add(kHost, fields[i]);
  }
}

void NameReplacer::learn_resolver(std::string_view line) {
  const auto fields = words(line);
  const bool domains = !fields.empty() && (fields[0] == "search" || fields[0] == "domain");
  for (std::size_t i = 1; domains && i < fields.size(); ++i) add(kDomain, fields[i]);
}

void NameReplacer::learn_network(std::string_view line) {
  const auto equals = line.find('=');
  const auto key = trim(line.substr(0, equals));
  if (equals == std::string_view::npos || (key != "Domains" && key != "Hostname")) return;
  for (const auto name : words(line.substr(equals + 1)))
    add(key == "Domains" ? kDomain : kHost, name);
}

void NameReplacer::learn_domain(std::string_view line) {
  if (!line.starts_with('(')) add(kDomain, trim(line));
}

void NameReplacer::learn_host_name(std::string_view line) {
  add(kHost, trim(line));
}

void NameReplacer::learn_file(const std::string& path, std::string_view text) {
  const auto learn = path == "etc/passwd"           ? &NameReplacer::learn_account
                     : path == "etc/hosts"          ? &NameReplacer::learn_hosts_file
                     : path == "etc/resolv.conf"    ? &NameReplacer::learn_resolver
                     : path.ends_with(".network")   ? &NameReplacer::learn_network
                     : path.ends_with("domainname") ? &NameReplacer::learn_domain
                                                    : &NameReplacer::learn_host_name;
  for (const auto line : split(text, '\n')) (this->*learn)(line.substr(0, line.find('#')));
}

void NameReplacer::learn_mounts(std::string_view text) {
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);  // device, path, type, options
    if (fields.size() < 4) continue;
    const bool hugepages = fields[2] == "hugetlbfs";
    const bool remote = fields[3].find("addr=") != std::string_view::npos;
    if (!hugepages && !remote) continue;
    if (!is_usual_mount(fields[1])) insert(kMount, fields[1]);
    if (!remote) continue;
    const auto device = fields[0];
    if (device.starts_with("//")) {
      add(kHost, device.substr(2, device.find('/', 2) - 2));
    } else {
      const auto server = device.substr(0, device.find(':'));
      if (name_at(server) == server) add(kHost, server);
    }
    if (device.find('/') != std::string_view::npos) insert(kName, device);
    learn_keys(line);
  }
}

// Collects users from lines of sshd, sudo, PAM and systemd-logind.
void NameReplacer::learn_users(std::string_view line) {
  static constexpr std::string_view kPrograms[] = {
      "ssh", "sudo", "su[", "su:", "pam_", "logind", "systemd["};
  const auto mentions = [&](std::string_view program) {
    return line.find(program) != std::string_view::npos;
  };
  if (std::none_of(std::begin(kPrograms), std::end(kPrograms), mentions)) return;
  for (const std::string_view key : {"user ", "for ", "user: ", "sshd: ", "sudo: ", "account "}) {
    after_each(line, key, [&](std::string_view rest) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" '\""), rest.size()));
      const auto name = name_at(rest);
      const auto next = at_or_end(rest, name.size());
      const bool ends =
          next == '\0' || std::string_view(" ('\",:[").find(next) != std::string_view::npos;
      if (!ends) return;
      // "sudo:   alice : TTY=...", "sshd: alice [priv]", but not "sshd: error ..."
      const bool title = key.size() == 6;
      const auto tail = rest.substr(name.size());
      if (title && !tail.starts_with(" :") && !tail.starts_with(" [")) return;
      add(kUser, name.substr(0, name.find('@')));
      if (name.find('@') != std::string_view::npos) add(kHost, name.substr(name.find('@') + 1));
    });
  }
}

void NameReplacer::learn_keys(std::string_view line) {
  struct Key {
    std::string_view text, kind;
  };

  static constexpr Key kKeys[] = {
      {"user", kUser},   {"username", kUser},   {"ruser", kUser},       {"logname", kUser},
      {"acct", kUser},   {"hostname", kHost},   {"_hostname", kHost},   {"rhost", kHost},
      {"server", kHost}, {"nodename", kHost},   {"unc", kName},         {"domain", kDomain},
      {"dom", kDomain},  {"domains", kDomain},  {"password", kName},    {"passwd", kName},
      {"pass", kName},   {"accountkey", kName}, {"accountname", kName}, {"sig", kName}};
  for (auto at = line.find_first_of("=:"); at != std::string_view::npos;
       at = line.find_first_of("=:", at + 1)) {
    auto before = line.substr(0, at);
    const bool quoted = before.ends_with('"');  // in JSON
    if (line[at] == ':' && !quoted) continue;
    while (before.ends_with('"') || before.ends_with('\\')) before.remove_suffix(1);
    const auto word = std::find_if_not(
        before.rbegin(), before.rend(), [](char c) { return is_alphanumeric(c) || c == '_'; });
    const auto key =
        lower(before.substr(static_cast<std::size_t>(before.rend() - word)).substr(0, 20));
    const auto* known = std::find_if(
        std::begin(kKeys), std::end(kKeys), [&](const Key& one) { return one.text == key; });
    auto value = line.substr(at + 1);
    if (quoted && value.starts_with(' ')) value.remove_prefix(1);
    if (known != std::end(kKeys)) add(known->kind, value_at(value));
  }
  if (line.find("ostname ") == std::string_view::npos) return;
  for (const std::string_view key : {"hostname to <", "hostname set to <"}) {
    after_each(line, key, [&](std::string_view rest) { add(kHost, name_at(rest)); });
  }
}

// Collects users from home directories and addresses of mail, and hosts from shares and from names
// in domains of Azure.
void NameReplacer::learn_paths(std::string_view line) {
  for (auto at = line.find("/home/"); at != std::string_view::npos;
       at = line.find("/home/", at + 1)) {
    add(kUser, name_at(line.substr(at + 6)));
  }
  for (auto at = line.find("//"); at != std::string_view::npos; at = line.find("//", at + 2)) {
    const bool url = at > 0 && line[at - 1] == ':';
    const auto host = name_at(line.substr(at + 2));
    if (!url && !host.empty() && at_or_end(line, at + 2 + host.size()) == '/') {
      add(kHost, host);
      insert(kName,
             line.substr(at, 3 + host.size() + name_at(line.substr(at + 3 + host.size())).size()));
    }
  }
  for (auto at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
    const auto host = name_at(line.substr(at + 1));
    const auto rest = line.substr(at + 1 + host.size());
    const bool prompt = rest.starts_with(":~") || rest.starts_with(":/");
    const auto dot = host.rfind('.');
    const bool mail = dot != std::string_view::npos && !is_unit_type(host.substr(dot + 1));
    if (!prompt && !mail) continue;
    const auto user = last_name(line.substr(0, at));
    add(kUser, user.substr(user.rfind('@') + 1));
    add(kHost, host);
  }
  for (const std::string_view suffix : {".windows.net", ".cloudapp.net", ".cloudapp.azure.com"}) {
    for (auto at = line.find(suffix); at != std::string_view::npos;
         at = line.find(suffix, at + 1)) {
      add(kHost, fmt::format("{}{}", last_name(line.substr(0, at)), suffix));
    }
  }
}

void NameReplacer::learn_line(std::string_view line) {
  add(kHost, syslog_host(line));
  if (line.starts_with("Linux ") && !line.starts_with("Linux version")) {  // uname -a
    const auto fields = words(line.substr(0, 400));
    if (fields.size() > 2 && is_digit(fields[2].front())) add(kHost, fields[1]);
  }
  learn_users(line);
  learn_keys(line);
  learn_paths(line);
}

void NameReplacer::learn_log(std::string_view text) {
  while (!text.empty()) {  // split() would need 16 bytes per line
    const auto end = std::min(text.find('\n'), text.size());
    learn_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// A replacement never equals a name of the machine: a log is scrubbed twice.
const std::string& NameReplacer::replacement_of(Name& name) {
  while (name.replacement.empty()) {
    auto candidate = fmt::format("{}{}", name.kind, ++counts_[name.kind]);
    if (names_.count(candidate) == 0) name.replacement = std::move(candidate);
  }
  return name.replacement;
}

std::size_t NameReplacer::replace(std::string_view text, std::size_t at, std::string& out) {
  if (names_.empty() || (is_alphanumeric(text[at]) && !begins_word(text, at))) return 0;
  const auto lengths = lengths_.find(lower(first_word(text.substr(at))));
  if (lengths == lengths_.end()) return 0;
  const auto window = lower(text.substr(at, kMaxNameLength));
  for (const auto length : lengths->second) {
    if (length > window.size() || is_alphanumeric(at_or_end(text, at + length))) continue;
    const auto found = names_.find(window.substr(0, length));
    if (found == names_.end()) continue;
    out += replacement_of(found->second);
    return length;
  }
  return 0;
}

std::string NameReplacer::mount(std::string_view path) {
  if (is_usual_mount(path)) return std::string(path);
  const auto found = names_.find(lower(path));
  // insert() ignores paths that are too long.
  return found == names_.end() ? fmt::format("{}0", kMount) : replacement_of(found->second);
}

}  // namespace manactl::host
