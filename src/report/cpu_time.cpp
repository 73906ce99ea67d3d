// SPDX-License-Identifier: MIT

#include "report/cpu_time.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace manactl::report {
namespace {

constexpr std::size_t kSteal = 7;  // after user, nice, system, idle, iowait, irq and softirq
constexpr std::size_t kGuest = 8;  // guest and guest_nice are not added: user and nice include them

// Returns 12 for "cpu12 1 2 3"; empty for other lines, including "cpu" with the totals.
std::optional<std::uint64_t> cpu_of(std::string_view line) {
  if (!line.starts_with("cpu")) return std::nullopt;
  const auto number = parse_unsigned(line.substr(3, line.find(' ') - 3));
  return number ? std::optional(*number) : std::nullopt;
}

bool add(std::string_view line, CpuTime& time) {
  auto words = split(line, ' ');
  words.erase(words.begin());
  if (words.size() <= kSteal) return false;
  for (std::size_t i = 0; i < std::min(words.size(), kGuest); ++i) {
    const auto ticks = parse_unsigned(words[i]);
    if (!ticks) return false;
    time.total += *ticks;
    if (i == kSteal) time.stolen += *ticks;
  }
  return true;
}

std::uint64_t since(std::uint64_t now, std::uint64_t before) {
  return now - std::min(now, before);
}

}  // namespace

Result<CpuTime> cpu_time(const os::Files& files, const CpuList& cpus) {
  const auto text = files.read("proc/stat");
  if (!text) return tl::unexpected<Error>(text.error());
  CpuTime time;
  std::size_t seen = 0;
  for (const auto line : split(*text, '\n')) {
    const auto cpu = cpu_of(line);
    if (!cpu || std::find(cpus.cpus.begin(), cpus.cpus.end(), *cpu) == cpus.cpus.end()) continue;
    if (!add(line, time)) {
      return fail(Errc::invalid,
                  fmt::format("proc/stat has an unexpected line '{}'", printable(line)));
    }
    ++seen;
  }
  if (seen != cpus.cpus.size()) {
    return fail(Errc::invalid,
                fmt::format("proc/stat does not list all of the CPUs {}", cpus.str()));
  }
  return time;
}

std::optional<double> stolen_share(const CpuTime& before, const CpuTime& after) {
  if (after.total <= before.total) return std::nullopt;
  return static_cast<double>(since(after.stolen, before.stolen)) /
         static_cast<double>(after.total - before.total);
}

ThreadTime& ThreadTime::operator+=(const ThreadTime& other) {
  ran += other.ran;
  waited += other.waited;
  return *this;
}

Result<ThreadTime> worker_time(const os::Files& files) {
  const auto process = files.link_target("proc/self");
  if (!process) return tl::unexpected<Error>(process.error());
  const auto threads = files.list("proc/self/task");
  if (!threads) return tl::unexpected<Error>(threads.error());
  ThreadTime time;
  for (const auto& thread : *threads) {
    const auto path = fmt::format("proc/self/task/{}/schedstat", thread);
    const auto text = files.read(path);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto words = split(*text, ' ');
    const auto ran = parse_unsigned(words[0]);
    const auto waited = words.size() > 1 ? parse_unsigned(words[1]) : ran;
    if (words.size() < 2 || !ran || !waited) {
      return fail(Errc::invalid,
                  fmt::format("{} has an unexpected line '{}'", path, printable(*text)));
    }
    if (thread == *process) continue;
    time.ran += *ran;
    time.waited += *waited;
  }
  return time;
}

std::optional<double> preempted_share(const ThreadTime& before, const ThreadTime& after) {
  const auto waited = static_cast<double>(since(after.waited, before.waited));
  const auto ran = static_cast<double>(since(after.ran, before.ran));
  return waited + ran > 0 ? std::optional(waited / (waited + ran)) : std::nullopt;
}

std::optional<double> cpu_seconds(const ThreadTime& before, const ThreadTime& after) {
  constexpr double kNanoseconds = 1e9;
  if (after.ran <= before.ran) return std::nullopt;
  return static_cast<double>(after.ran - before.ran) / kNanoseconds;
}

}  // namespace manactl::report
