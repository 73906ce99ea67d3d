// SPDX-License-Identifier: MIT

#include "datapath/probe.h"

#include <algorithm>
#include <vector>

#include "base/child.h"
#include "base/text.h"

namespace manactl::datapath {
namespace {

struct StageNames {
  std::string_view id, title;
};

constexpr std::array<StageNames, kStages> kNames = {
    StageNames{"libraries", "load libibverbs and libmana"},
    StageNames{"find", "find the RDMA device and port"},
    StageNames{"open", "open the device"},
    StageNames{"query", "query its limits"},
    StageNames{"pd", "protection domain"},
    StageNames{"parent-domain", "parent domain with the port"},
    StageNames{"cq", "completion queue"},
    StageNames{"qp", "raw-packet QP to send"},
    StageNames{"rss-qp", "RSS QP to receive"},
    StageNames{"release", "release everything"}};

std::size_t index_of(Stage stage) {
  return static_cast<std::size_t>(stage);
}

// Parses the lines that the child wrote. Ignores invalid lines, such as the last one of a crash.
class ProbeReader {
 public:
  explicit ProbeReader(ProbeReport& report) : report_(report) {}

  void read(std::string_view line);

  // To be called when the child has ended or was killed.
  void end(const ChildResult& result, std::chrono::milliseconds timeout);

 private:
  void at(std::string_view stage, std::string_view call);
  void fail(std::string_view line);

  ProbeReport& report_;
  std::size_t current_ = 0;
  bool ended_ = false;
};

void ProbeReader::at(std::string_view stage, std::string_view call) {
  const auto* name = std::ranges::find(kNames, stage, &StageNames::id);
  if (name == kNames.end()) return;
  current_ = static_cast<std::size_t>(name - kNames.begin());
  for (std::size_t i = 0; i < kStages; ++i) {
    auto& other = report_.stages[i];
    if (i < current_ && !other.reason) other.outcome = Outcome::ok;
    if (i > current_ && !other.reason) other = {};
  }
  report_.stages[current_].call = printable(call);
}

// Parses "fail CODE ERRNO MESSAGE", separated by tabs.
void ProbeReader::fail(std::string_view line) {
  constexpr std::uint64_t kMaxErrno = 4095;
  const auto fields = split(line, '\t');
  if (fields.size() != 4) return;
  const auto code = parse_unsigned(fields[1], static_cast<std::uint64_t>(Errc::io));
  const auto number = parse_unsigned(fields[2], kMaxErrno);
  if (!code || !number) return;
  ended_ = true;
  // The child sends this line after it has released everything.
  report_.stages[index_of(Stage::release)].outcome = Outcome::ok;
  report_.stages[current_].outcome = Outcome::failed;
  report_.stages[current_].reason =
      Error{static_cast<Errc>(*code), static_cast<int>(*number), std::string(fields[3])};
}

void ProbeReader::read(std::string_view line) {
  const auto fields = split(line, '\t');
  if (fields[0] == "fail") fail(line);
  if (fields[0] == "at" && fields.size() == 3) at(fields[1], fields[2]);
  if (fields[0] == "version" && fields.size() == 2) report_.version = printable(fields[1]);
  if (fields[0] == "port" && fields.size() == 4) {
    report_.device = printable(fields[1]);
    report_.slot = printable(fields[2]);
    report_.port = static_cast<std::uint32_t>(parse_unsigned(fields[3], UINT8_MAX).value_or(0));
  }
  if (fields[0] == "done") {
    ended_ = true;
    report_.stages[current_].outcome = Outcome::ok;
  }
}

void ProbeReader::end(const ChildResult& result, std::chrono::milliseconds timeout) {
  if (ended_ && result.end == ChildResult::End::done) return;
  if (ended_) current_ = index_of(Stage::release);
  auto& stage = report_.stages[current_];
  const std::string step = stage.call.empty() ? std::string(kNames[current_].title) : stage.call;
  if (result.end == ChildResult::End::timed_out) {
    stage.outcome = Outcome::hung;
    stage.reason = Error{
        Errc::timeout,
        0,
        fmt::format("{} did not finish within {} s; {}",
                    step,
                    std::chrono::duration_cast<std::chrono::duration<double>>(timeout).count(),
                    result.reaped ? "the process was killed, and the kernel released its resources"
                                  : "the process still hangs in the kernel; see: dmesg")};
    return;
  }
  stage.outcome = Outcome::crashed;
  stage.reason = Error{
      Errc::io,
      0,
      fmt::format(
          "{}: libibverbs, or a library that it loaded, {}; the kernel released its resources",
          step,
          result.signal.empty() ? std::string("ended the process")
                                : fmt::format("crashed with {}", result.signal))};
}

}  // namespace

std::string_view id_of(Stage stage) {
  return kNames[index_of(stage)].id;
}

std::string_view title_of(Stage stage) {
  return kNames[index_of(stage)].title;
}

std::optional<Stage> ProbeReport::end() const {
  const auto found =
      std::ranges::find_if(stages, [](const auto& stage) { return stage.outcome != Outcome::ok; });
  if (found == stages.end()) return std::nullopt;
  return static_cast<Stage>(found - stages.begin());
}

ProbeReport read_probe(const ProbePlan& plan, const ChildResult& result) {
  ProbeReport report;
  report.interface = plan.interface;
  report.simulated = !plan.nic;
  if (!plan.no_qp_reason.empty()) {
    for (const auto stage : {Stage::qp, Stage::rss_qp}) {
      report.stages[index_of(stage)].reason = Error{Errc::denied, 0, plan.no_qp_reason};
    }
  }
  ProbeReader reader(report);
  for (const auto line : split(result.text, '\n')) reader.read(line);
  reader.end(result, plan.timeout);
  return report;
}

}  // namespace manactl::datapath
