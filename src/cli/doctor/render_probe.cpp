// SPDX-License-Identifier: MIT

#include "base/number_names.h"
#include "base/text.h"
#include "cli/doctor/render_doctor.h"

namespace manactl::cli {
namespace {

using datapath::Outcome;
using datapath::ProbeReport;
using datapath::Stage;

constexpr std::size_t kMaxProbeText = 2000;
constexpr unsigned kProbeLabelWidth = 11;  // "not tried" and two spaces

std::string headline(const ProbeReport& report) {
  auto line = fmt::format("Probe of {}", printable(report.interface));
  if (!report.device.empty()) {
    line += fmt::format(": {} at {}, port {}", report.device, report.slot, report.port);
  }
  if (report.simulated) line += " (software adapter)";
  return line;
}

std::string_view label_of(Outcome outcome) {
  return outcome == Outcome::not_tried ? "not tried" : datapath::name_of(outcome);
}

Color color_of(Outcome outcome) {
  if (outcome == Outcome::ok) return Color::green;
  return outcome == Outcome::not_tried ? Color::dim : Color::red;
}

// "raw-packet QP to send (create_qp: EBUSY)"
std::string describe_stage(const ProbeReport& report, Stage stage) {
  const auto& one = report.at(stage);
  std::string what(datapath::title_of(stage));
  const int number = one.reason ? one.reason->sys : 0;
  const auto name = errno_name(number);
  return name.empty() ? what : fmt::format("{} ({}: {})", what, one.call, name);
}

void write_stage(Screen& screen, const ProbeReport& report, Stage stage) {
  const auto& one = report.at(stage);
  const std::string label(label_of(one.outcome));
  auto& out = screen.stream();
  out << "  " << screen.paint(color_of(one.outcome), label)
      << std::string(kProbeLabelWidth - label.size(), ' ') << describe_stage(report, stage) << '\n';
  if (!one.reason) return;
  const auto lines = wrap_lines(printable(one.reason->message, kMaxProbeText),
                                screen.width() - kProbeLabelWidth - 2);
  for (const auto& line : lines) out << std::string(kProbeLabelWidth + 2, ' ') << line << '\n';
}

}  // namespace

void print_text(Screen& screen, const ProbeReport& report) {
  auto& out = screen.stream();
  out << screen.paint(Color::bold, headline(report)) << '\n';
  for (std::size_t i = 0; i < datapath::kStages; ++i) {
    write_stage(screen, report, static_cast<Stage>(i));
  }
  const auto end = report.end();
  std::string last = "No packets were sent.";
  if (!end) last = "Direct verbs work. No packets were sent, and all resources were released.";
  out << wrap(last, screen.width(), 0) << '\n';
}

}  // namespace manactl::cli
