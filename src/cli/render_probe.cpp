// SPDX-License-Identifier: MIT

#include <cstring>

#include "base/text.h"
#include "cli/render_doctor.h"

namespace manactl::cli {
namespace {

using datapath::Outcome;
using datapath::ProbeReport;
using datapath::Stage;

constexpr std::size_t kLongest = 2000;
constexpr unsigned kLabel = 11;  // columns of "not tried"

std::string headline(const ProbeReport& report) {
  auto line = fmt::format("Probe of {}", printable(report.interface, 60));
  if (!report.device.empty()) {
    line += fmt::format(": {} at {}, port {}", report.device, report.slot, report.port);
  }
  if (report.simulated) line += ", of the software adapter";
  return line;
}

std::string_view label_of(Outcome outcome) {
  return outcome == Outcome::not_tried ? "not tried" : datapath::name_of(outcome);
}

Colour colour_of(Outcome outcome) {
  if (outcome == Outcome::ok) return Colour::green;
  return outcome == Outcome::not_tried ? Colour::dim : Colour::red;
}

// "raw-packet QP to send (create_qp: EBUSY)"
std::string what_of(const ProbeReport& report, Stage stage) {
  const auto& one = report.at(stage);
  std::string what(datapath::title_of(stage));
  const int number = one.reason ? one.reason->sys : 0;
  const char* name = number == 0 ? nullptr : strerrorname_np(number);
  return name == nullptr ? what : fmt::format("{} ({}: {})", what, one.call, name);
}

void write_stage(Screen& screen, const ProbeReport& report, Stage stage) {
  const auto& one = report.at(stage);
  const std::string label(label_of(one.outcome));
  auto& out = screen.stream();
  out << "  " << screen.paint(colour_of(one.outcome), label)
      << std::string(kLabel - label.size(), ' ') << what_of(report, stage) << '\n';
  if (!one.reason) return;
  const auto lines =
      wrap_lines(printable(one.reason->message, kLongest), screen.width() - kLabel - 2);
  for (const auto& line : lines) out << std::string(kLabel + 2, ' ') << line << '\n';
}

}  // namespace

void text(Screen& screen, const ProbeReport& report) {
  auto& out = screen.stream();
  out << screen.paint(Colour::bold, headline(report)) << '\n';
  for (std::size_t i = 0; i < datapath::kStages; ++i) {
    write_stage(screen, report, static_cast<Stage>(i));
  }
  const auto end = report.end();
  std::string last = "Nothing was sent.";
  if (!end) last = "Direct verbs work here. Nothing was sent, and nothing is left.";
  out << wrap(last, screen.width(), 0) << '\n';
}

}  // namespace manactl::cli
