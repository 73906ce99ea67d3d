// SPDX-License-Identifier: MIT
//
// Prints the result of doctor: text in render_brief.cpp, or in render_doctor.cpp and
// render_story.cpp with -v. doctor_texts.cpp and render_nics.cpp have the texts of both,
// render_probe.cpp those of the probe. JSON is in json_doctor.cpp.

#pragma once

#include <string>
#include <vector>

#include "base/enum_words.h"
#include "cli/command_hints.h"
#include "cli/context.h"
#include "datapath/probe.h"
#include "diag/doctor.h"

namespace manactl::cli {

struct DoctorResult {
  const diag::Diagnosis& diagnosis;
  const diag::Report& report;  // the checks that were run

  struct Log {
    std::string name;
    std::uint64_t lines = 0;
    std::string dpdk_release;
    std::vector<diag::Run> runs = {};
    std::uint64_t more_runs = 0;
    std::vector<diag::NicStory> nics = {};
    std::string last_time = {};
    bool is_captured = false;  // --root has it, and doctor reads it without being asked
    std::vector<std::string> outputs = {};  // of commands: "lspci (line 3)"
    std::vector<std::string> unused = {};   // outputs that were not used, and why
  };

  std::vector<Log> logs;
  std::vector<std::string> notes;  // "this machine has no MANA; only the log was analyzed"
  const datapath::ProbeReport* probe = nullptr;  // null without --probe
  CommandHints hints = {};
  std::string bundle = {};  // path of the analyzed bundle; empty if the input was none
};

inline constexpr EnumWords<diag::Confirmation, 3> kConfirmations = {
    {{diag::Confirmation::confirmed, "confirmed"},
     {diag::Confirmation::contradicted, "contradicted"},
     {diag::Confirmation::undecided, "undecided"}}};

void print_text(Screen& screen, const datapath::ProbeReport& report);

// Prints the runs of a log with the states that its lines show.
void print_text(Screen& screen, const DoctorResult::Log& log);
void print_text(Screen& screen, const DoctorResult& result, int verbosity);

// Prints the answer in at most 12 rows of 80 columns.
void print_brief(Screen& screen, const DoctorResult& result);

// A line of the answer for the logs: "Works: A port carries packets (line 36)".
struct Headline {
  Color color = Color::none;
  std::string heading, title;
};

inline constexpr std::string_view kFirstFault = "First fault:";

std::vector<Headline> headlines(const DoctorResult& result);

// A line about a NIC that does not use its VF when a log ends, or whose VF was removed before.
struct NicLine {
  std::string first, text;  // the text may need several rows
};

std::vector<NicLine> nic_lines(const DoctorResult& result);

// The sentence that no cause was found; empty if there is one, or if the headline is the answer.
std::string no_cause_text(const DoctorResult& result);

// The problem and the id of each check that warned, such as "Packets are lost, or rings are full
// (speed.drops)". Empty without MANA.
std::vector<std::string> warning_texts(const DoctorResult& result);

// "Root cause:" or "Degraded:". The result must have a root cause.
std::string root_heading(const DoctorResult& result);

// "confirmed: rdma.core: rdma-core 39 is too old"; empty if it is undecided or found by a check.
std::string evidence_text(const diag::Diagnosis::Item& item);

bool has_unknown_cause(const DoctorResult& result);  // of a failure

// Returns "line 5", or "FILE:5" if there are several logs; with a time, "line 5, Nov 21 03:00:00".
std::string place_of(const DoctorResult& result,
                     std::string_view log,
                     std::uint64_t line,
                     std::string_view time = {});

// Returns ", 5 times"; empty for one.
std::string times(std::uint64_t count);

// Returns how to report a failure whose cause is unknown. The text ends with a colon if
// report_command() follows.
std::string report_hint(const DoctorResult& result);

// Returns the command that writes a bundle with the machine and the logs of `result`; empty if the
// input was a bundle.
std::string report_command(const DoctorResult& result);

// Prints the document of schemas/doctor.schema.json.
void print_json(std::ostream& out, const DoctorResult& result, Exit exit);

}  // namespace manactl::cli
