// SPDX-License-Identifier: MIT

#include "datapath/probe.h"

#include <algorithm>
#include <vector>

#include "base/child.h"
#include "base/text.h"

namespace manactl::datapath {
namespace {

struct StageName {
  std::string_view id, title;
};

constexpr std::array<StageName, kStages> kNames = {
    StageName{"libraries", "load libibverbs and libmana"},
    StageName{"find", "find the RDMA device and port"},
    StageName{"open", "open the device"},
    StageName{"query", "ask for its limits"},
    StageName{"pd", "protection domain"},
    StageName{"parent-domain", "parent domain with the port"},
    StageName{"cq", "completion queue"},
    StageName{"qp", "raw-packet QP to send"},
    StageName{"rss-qp", "RSS QP to receive"},
    StageName{"release", "give it all back"}};

std::size_t index_of(Stage stage) {
  return static_cast<std::size_t>(stage);
}

// Reads the lines of a child; what cannot be understood is left out, as a crash may leave it.
class Reader {
 public:
  explicit Reader(ProbeReport& report) : report_(report) {}

  void read(std::string_view line);

  // Nothing more was told.
  void end(const ChildAnswer& told, std::chrono::milliseconds patience);

 private:
  void at(std::string_view stage, std::string_view call);
  void fail(std::string_view line);

  ProbeReport& report_;
  std::size_t now_ = 0;
  bool ended_ = false;
};

void Reader::at(std::string_view stage, std::string_view call) {
  const auto* name = std::ranges::find(kNames, stage, &StageName::id);
  if (name == kNames.end()) return;
  now_ = static_cast<std::size_t>(name - kNames.begin());
  for (std::size_t i = 0; i < kStages; ++i) {
    auto& one = report_.stages[i];
    if (i < now_ && !one.reason) one.outcome = Outcome::ok;
    if (i > now_ && !one.reason) one = {};
  }
  report_.stages[now_].call = printable(call, 60);
}

// "fail CODE ERRNO MESSAGE"
void Reader::fail(std::string_view line) {
  constexpr std::uint64_t kMostErrno = 4095;
  const auto fields = split(line, '\t');
  if (fields.size() != 4) return;
  const auto code = parse_unsigned(fields[1], static_cast<std::uint64_t>(Errc::io));
  const auto number = parse_unsigned(fields[2], kMostErrno);
  if (!code || !number) return;
  ended_ = true;
  // The child says so when all that was made is given back.
  report_.stages[index_of(Stage::release)].outcome = Outcome::ok;
  report_.stages[now_].outcome = Outcome::failed;
  report_.stages[now_].reason =
      Error{static_cast<Errc>(*code), static_cast<int>(*number), std::string(fields[3])};
}

void Reader::read(std::string_view line) {
  const auto fields = split(line, '\t');
  if (fields[0] == "fail") fail(line);
  if (fields[0] == "at" && fields.size() == 3) at(fields[1], fields[2]);
  if (fields[0] == "version" && fields.size() == 2) report_.version = printable(fields[1], 40);
  if (fields[0] == "port" && fields.size() == 4) {
    report_.device = printable(fields[1], 60);
    report_.slot = printable(fields[2], 60);
    report_.port = static_cast<std::uint32_t>(parse_unsigned(fields[3], UINT8_MAX).value_or(0));
  }
  if (fields[0] == "done") {
    ended_ = true;
    report_.stages[now_].outcome = Outcome::ok;
  }
}

void Reader::end(const ChildAnswer& told, std::chrono::milliseconds patience) {
  if (ended_ && told.end == ChildAnswer::End::done) return;
  if (ended_) now_ = index_of(Stage::release);
  auto& stage = report_.stages[now_];
  const std::string what = stage.call.empty() ? std::string(kNames[now_].title) : stage.call;
  if (told.end == ChildAnswer::End::silent) {
    stage.outcome = Outcome::hung;
    stage.reason = Error{
        Errc::timeout,
        0,
        fmt::format("{}: no answer within {} s; {}",
                    what,
                    std::chrono::duration_cast<std::chrono::duration<double>>(patience).count(),
                    told.gone ? "the process was killed, and the kernel took back what it held"
                              : "the kernel still holds the process in the call; see: dmesg")};
    return;
  }
  stage.outcome = Outcome::crashed;
  stage.reason = Error{
      Errc::io,
      0,
      fmt::format(
          "{}: libibverbs, or a library that it loaded, {}; the kernel took back what it held",
          what,
          told.signal.empty() ? std::string("ended the process")
                              : fmt::format("crashed with {}", told.signal))};
}

}  // namespace

std::string_view id_of(Stage stage) {
  return kNames[index_of(stage)].id;
}

std::string_view title_of(Stage stage) {
  return kNames[index_of(stage)].title;
}

std::string_view name_of(Outcome outcome) {
  static constexpr std::array<std::string_view, 5> kOutcomes = {
      "not-tried", "ok", "failed", "crashed", "hung"};
  return kOutcomes[static_cast<std::size_t>(outcome)];
}

std::optional<Stage> ProbeReport::end() const {
  const auto found =
      std::ranges::find_if(stages, [](const auto& one) { return one.outcome != Outcome::ok; });
  if (found == stages.end()) return std::nullopt;
  return static_cast<Stage>(found - stages.begin());
}

ProbeReport read_probe(const ProbePlan& plan, const ChildAnswer& told) {
  ProbeReport report;
  report.interface = plan.interface;
  report.simulated = !plan.nic;
  if (!plan.keep_off.empty()) {
    for (const auto stage : {Stage::qp, Stage::rss_qp}) {
      report.stages[index_of(stage)].reason = Error{Errc::denied, 0, plan.keep_off};
    }
  }
  Reader reader(report);
  for (const auto line : split(told.text, '\n')) reader.read(line);
  reader.end(told, plan.patience);
  return report;
}

}  // namespace manactl::datapath
