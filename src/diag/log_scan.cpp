// SPDX-License-Identifier: MIT

#include "diag/log_scan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/characters.h"
#include "base/ids.h"
#include "base/text.h"
#include "diag/absence.h"
#include "diag/arguments.h"
#include "diag/counter_reader.h"
#include "diag/counters.h"
#include "diag/device.h"
#include "diag/error_heuristics.h"
#include "diag/log_reader.h"
#include "diag/log_time.h"
#include "diag/repetition.h"
#include "diag/ticket_scan.h"

namespace manactl::diag {
namespace {

// Most lines of some logs are rates of testpmd, such as "  Tx-pps:  12  Tx-bps:  5760". Returns the
// first digit of the rate, or nothing if the line is not such a line.
std::optional<char> rate_digit(std::string_view line) {
  const auto skip = [&line](const auto& is_wanted) {
    std::size_t end = 0;
    while (end < line.size() && is_wanted(line[end])) ++end;
    line.remove_prefix(end);
    return end > 0;
  };
  const auto is_space = [](char c) { return c == ' '; };
  const auto name = [&line](std::string_view receive, std::string_view send) {
    const bool has = line.starts_with(receive) || line.starts_with(send);
    if (has) line.remove_prefix(receive.size());
    return has;
  };
  (void)skip(is_space);
  if (!name("Rx-pps:", "Tx-pps:") || !skip(is_space) || line.empty()) return std::nullopt;
  const char digit = line.front();
  const bool is_rate = skip(is_digit) && skip(is_space) && name("Rx-bps:", "Tx-bps:") &&
                       skip(is_space) && skip(is_digit);
  return is_rate && line.empty() ? std::optional(digit) : std::nullopt;
}

// Returns "vpp" if the prefix of the message ends with "vpp[88]: "; empty if it has no such end.
std::string_view program_in_prefix(std::string_view line, std::string_view message) {
  const auto at = line.find(message);
  if (at == std::string_view::npos) return {};  // the message was unwrapped from JSON
  auto prefix = line.substr(0, at);
  if (!prefix.ends_with("]: ")) return {};
  prefix.remove_suffix(3);
  while (!prefix.empty() && is_digit(prefix.back())) prefix.remove_suffix(1);
  if (!prefix.ends_with('[')) return {};
  prefix.remove_suffix(1);
  return prefix.substr(prefix.find_last_of(" \t") + 1);
}

// The kernel names the thread: DPDK's are "lcore-worker-1", "rte-worker-1" or "dpdk-worker1".
bool is_dpdk_program_name(std::string_view program) {
  constexpr std::array<std::string_view, 7> kParts = {
      "dpdk", "testpmd", "l2fwd", "l3fwd", "vpp", "lcore-worker", "rte-worker"};
  constexpr std::array<std::string_view, 2> kBeginnings = {"manactl", "mana-"};
  const auto has = [program](auto part) { return program.find(part) != std::string_view::npos; };
  return std::ranges::any_of(kParts, has) ||
         std::ranges::any_of(kBeginnings, [&](auto part) { return program.starts_with(part); });
}

// Whether the two arguments name different devices. RE2 has no backreferences, so the signature
// captures both.
bool names_two_devices(const Match& match) {
  const auto again = capture(match.captures, "bus_again");
  return !again.empty() && again != capture(match.captures, "bus");
}

class Scan {
 public:
  Scan(std::string name, const SignatureSet& known)
      : name_(std::move(name)),
        known_(known),
        rate_(known.find("testpmd-traffic")),
        absences_(known.all()),
        counters_(known.all()),
        reader_(known.counter_formats(), counters_),
        repetitions_(known.all()) {}

  void scan_block(const Block& block);
  LogReport finish(std::uint64_t lines);

 private:
  void note_times(std::string_view block);
  bool scan_line(std::string_view line, std::uint64_t number);
  void add_conclusions();
  bool skip_rate(std::string_view line, std::uint64_t number);
  void read_counters();
  void add_findings();
  void add_match(const Match& match, Event event, std::string_view line);
  void add_unknown(const Event& event, std::string_view line);
  void note_origin(std::string_view source);
  void note_program(std::string_view source, const Event& event, std::string_view line);
  bool is_about_other_program(const Match& match) const;
  std::vector<Quote> lines_around(std::string_view line, std::uint64_t number) const;

  std::string name_;
  const SignatureSet& known_;
  const Signature* rate_;  // may be null in tests
  AbsenceTracker absences_;
  CounterTracker counters_;
  CounterReader reader_;
  bool had_no_rx_rate_ = false;  // the newest rate of received packets is 0
  DeviceNames devices_;
  RepetitionTracker repetitions_;
  ArgumentTracker arguments_;
  Story story_;
  TicketScan ticket_;
  LogReport report_;
  std::set<std::string, std::less<>> programs_;  // that logged lines of DPDK
  std::string_view block_;                       // the block that is being scanned
  std::string scratch_;
};

void Scan::scan_block(const Block& block) {
  const auto text = block.text;
  block_ = text;
  reader_.begin_block(text, block.first_line);
  note_times(text);
  ticket_.begin(block);
  std::size_t known_at = known_.next_candidate(text, 0);
  std::size_t error_at = find_error_word(text, 0);
  std::uint64_t number = block.first_line;
  std::size_t counted = 0;
  for (;;) {
    const auto hit = std::min(known_at, error_at);
    ticket_.read_until(hit);
    if (hit == std::string_view::npos) break;
    const auto before = hit == 0 ? std::string_view::npos : text.rfind('\n', hit - 1);
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    const auto end = std::min(text.find('\n', hit), text.size());
    number += count_line_ends(text.substr(counted, begin - counted));
    counted = begin;
    const auto line = text.substr(begin, end - begin);
    const bool is_of_counters = skip_rate(line, number) || scan_line(line, number);
    const auto with_line_end = text.substr(begin, end + 1 - begin);
    const bool may_be_of_ticket =
        ticket_.is_reading() || (!is_of_counters && known_.may_begin_ticket(with_line_end));
    if (may_be_of_ticket) ticket_.read_line(begin, end, number);
    if (known_at != std::string_view::npos && known_at < end) {
      known_at = known_.next_candidate(text, end);
    }
    if (error_at != std::string_view::npos && error_at < end) {
      error_at = find_error_word(text, end);
    }
  }
  read_counters();
}

// Reads only a few lines of each block, because most lines need no time.
void Scan::note_times(std::string_view block) {
  constexpr int kLines = 20;
  std::string scratch;
  const auto time_in = [&scratch](std::string_view line) {
    return time_of(line, without_prefix(line, scratch));
  };
  auto rest = block;
  for (int i = 0; i < kLines && report_.first_time.empty() && !rest.empty(); ++i) {
    const auto end = std::min(rest.find('\n'), rest.size() - 1);
    report_.first_time = time_in(rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
  }
  rest = block;
  for (int i = 0; i < kLines && !rest.empty(); ++i) {
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    const auto begin = rest.rfind('\n') + 1;  // 0 if there is no line end
    const auto time = time_in(rest.substr(begin));
    if (!time.empty()) {
      report_.last_time = time;
      return;
    }
    rest = rest.substr(0, begin);
  }
}

// Handles a line with a rate without regular expressions, which would make such logs several times
// slower to read. Returns true if the rate is 0, or if the line before it showed a rate too.
bool Scan::skip_rate(std::string_view line, std::uint64_t number) {
  const auto digit = rate_digit(line);
  if (!digit) return false;
  // Counters that stand still are read at once, others only if a later line depends on them.
  const bool is_zero = *digit == '0';
  if (is_zero && had_no_rx_rate_) read_counters();
  had_no_rx_rate_ = is_zero && line.find("Rx-pps") != std::string_view::npos;
  if (is_zero) return true;
  if (rate_ == nullptr || !story_.repeat(*rate_, number)) return false;
  ++report_.matched_lines;
  return true;
}

// Returns true if the line begins another report about a port of DPDK. It then begins no pasted
// output, which is slower to find out.
bool Scan::scan_line(std::string_view line, std::uint64_t number) {
  const auto message = without_prefix(line, scratch_);
  if (reader_.note_same(line, message, number)) return reader_.reads_ports();
  const auto texts = known_.texts_in(message);
  const bool is_report = known_.may_begin_counters(texts) && reader_.note(line, message, number);
  if (is_report && !known_.may_match(texts)) return false;
  auto matches = known_.matches(message, texts);
  if (matches.empty() && message.size() != line.size()) matches = known_.matches(line);
  std::erase_if(matches, [this](const Match& match) {
    return is_about_other_program(match) || names_two_devices(match);
  });
  // A line that only shows the program may be an error nevertheless.
  const bool is_known = std::ranges::any_of(
      matches, [](const Match& match) { return match.signature->application.empty(); });
  const bool is_unknown_error = !is_known && looks_like_error(message) && may_be_error(line);
  if (matches.empty() && !is_unknown_error) return false;
  const Event event{message, number, {}, name_, line};
  if (is_unknown_error) add_unknown(event, line);
  if (matches.empty()) return false;
  ++report_.matched_lines;
  const auto range = releases_of_prefix(message);
  if (!range.empty()) report_.dpdk_range = range;
  for (const auto& match : matches) add_match(match, event, line);
  return false;
}

void Scan::note_origin(std::string_view source) {
  constexpr std::array<std::string_view, 5> kMana = {
      "net_mana", "libmana", "mana.ko", "mana_ib", "manactl sim"};
  constexpr std::array<std::string_view, 5> kAnyMachine = {
      "hugetlb", "kernel", "network", "shell", "system"};
  if (source == kOtherNic) {
    report_.has_other_nic = true;
  } else if (std::ranges::find(kMana, source) != kMana.end()) {
    report_.has_mana = true;
  } else if (std::ranges::find(kAnyMachine, source) == kAnyMachine.end()) {
    report_.has_platform = true;
  }
}

void Scan::note_program(std::string_view source, const Event& event, std::string_view line) {
  constexpr std::array<std::string_view, 4> kDpdk = {"eal", "net_mana", "net_netvsc", "vmbus-bus"};
  constexpr std::size_t kMaxPrograms = 100;
  if (std::ranges::find(kDpdk, source) == kDpdk.end() || programs_.size() == kMaxPrograms) return;
  const auto program = program_in_prefix(line, event.message);
  if (!program.empty() && !programs_.contains(program)) programs_.emplace(program);
}

// Lines of systemd and of the kernel about the end of a program count only if it uses DPDK.
bool Scan::is_about_other_program(const Match& match) const {
  for (const auto& [key, value] : match.captures) {
    if (!key.starts_with("program")) continue;
    const auto name = std::string_view(value).substr(0, value.find('@'));
    return !is_dpdk_program_name(name) && !programs_.contains(name);
  }
  return false;
}

// The two lines before and after `line`, as far as they are in the same block.
std::vector<Quote> Scan::lines_around(std::string_view line, std::uint64_t number) const {
  constexpr int kLines = 2;
  std::vector<Quote> quotes;
  std::string scratch;
  const auto add = [&](std::string_view text, std::uint64_t at) {
    quotes.push_back({"", at, printable(without_prefix(text, scratch))});
  };
  auto begin = static_cast<std::size_t>(line.data() - block_.data());
  for (std::uint64_t i = 1; i <= kLines && begin > 0; ++i) {
    const auto end = begin - 1;
    const auto before = end == 0 ? std::string_view::npos : block_.rfind('\n', end - 1);
    begin = before == std::string_view::npos ? 0 : before + 1;
    add(block_.substr(begin, end - begin), number - i);
  }
  std::ranges::reverse(quotes);
  auto end = static_cast<std::size_t>(line.data() - block_.data()) + line.size();
  for (std::uint64_t i = 1; i <= kLines && end + 1 < block_.size(); ++i) {
    const auto next = end + 1;
    end = std::min(block_.find('\n', next), block_.size());
    add(block_.substr(next, end - next), number + i);
  }
  return quotes;
}

void Scan::add_unknown(const Event& event, std::string_view line) {
  auto* const entry = story_.add_unknown(event);
  if (entry != nullptr) entry->context = lines_around(line, event.line);
  const auto kind = run_kind_of_text(event.message);
  if (kind) note_origin(event.message.starts_with("mana") ? "mana.ko" : "eal");
}

void Scan::add_match(const Match& match, Event event, std::string_view line) {
  const auto& signature = *match.signature;
  if (!devices_.is_about(signature, match.captures)) return;
  read_counters();
  counters_.next(signature, match.captures);
  add_findings();
  note_origin(signature.source);
  note_program(signature.source, event, line);
  arguments_.next(signature, match.captures, event);
  if (!signature.application.empty()) report_.applications.insert(signature.application);
  story_.add_application(signature.application);
  if (signature.role == Role::note) {
    const auto release = capture(match.captures, "release");
    if (!release.empty()) report_.dpdk_release = release;
  }
  const bool needs_time = signature.state || signature.begins || signature.ends ||
                          repetitions_.counts(signature) || absences_.needs_time(signature);
  if (needs_time) event.time = time_of(line, event.message);
  const auto device = devices_.device_of(signature, match.captures);
  const bool has_failed = story_.add(signature, match.captures, device, event);
  repetitions_.next(signature, match.captures, device, event);
  if (has_failed) repetitions_.add_failed_run(event);
  for (const auto& one : absences_.next(signature, match.captures, device, event)) {
    story_.add(one);
  }
}

void Scan::read_counters() {
  reader_.read();
  add_findings();
}

void Scan::add_findings() {
  for (auto& one : counters_.take()) {
    if (!devices_.is_about(*one.rule, one.captures)) continue;
    note_origin(one.rule->source);
    one.line.log = name_;
    story_.add(one);
  }
}

// The last line of a log of several programs may have a time in another format than the kernel's.
void Scan::add_conclusions() {
  const auto& newest = story_.last_time();
  const bool is_comparable =
      seconds_between(newest, report_.last_time) || seconds_between(report_.last_time, newest);
  if (!newest.empty() && !is_comparable) report_.last_time = newest;
  report_.nics = story_.nics(report_.last_time);
  for (const auto& one : conclude_vf_states(known_.all(), report_.nics, report_.last_time)) {
    story_.conclude(one);
  }
  for (const auto& one : repetitions_.finish()) story_.conclude(one);
  for (const auto& one : absences_.finish(report_.last_time)) story_.conclude(one);
}

LogReport Scan::finish(std::uint64_t lines) {
  reader_.finish();
  counters_.finish();
  add_findings();
  add_conclusions();
  report_.lines = lines;
  report_.more_unknown = story_.more_unknown();
  report_.more_runs = story_.more_runs();
  report_.entries = story_.take_entries();
  report_.runs = story_.take_runs();
  report_.observations = arguments_.finish();
  const auto ticket = ticket_.finish();
  report_.has_mana = report_.has_mana || ticket.has_mana;
  report_.has_platform = report_.has_platform || ticket.is_hyperv;
  report_.has_other_nic = report_.has_other_nic || ticket.has_other_nic;
  report_.ticket = check_ticket(ticket, report_.runs, report_.dpdk_release, name_);
  return std::move(report_);
}

}  // namespace

std::string_view releases_of_prefix(std::string_view message) {
  for (const std::string_view prefix : {"MANA_DRIVER: ", "HN_DRIVER: ", "VMBUS_BUS: "}) {
    if (message.starts_with(prefix)) return "24.11 or newer";
  }
  for (const std::string_view prefix : {"mana_", "hn_", "vmbus_"}) {
    const auto end = message.find("(): ");
    if (message.starts_with(prefix) && end != std::string_view::npos && message.find(' ') > end) {
      return "22.11 to 24.07";
    }
  }
  return {};
}

Result<LogReport> read_log(ByteSource& source, const std::string& name, const SignatureSet& known) {
  LogReader reader(source);
  Scan scan(name, known);
  for (;;) {
    const auto block = reader.next();
    if (!block) return because(block.error(), name);
    if (block->text.empty()) return scan.finish(reader.lines());
    scan.scan_block(*block);
  }
}

}  // namespace manactl::diag
