// SPDX-License-Identifier: MIT
//
// Prints the result of doctor: text in render_doctor.cpp, render_nics.cpp, render_story.cpp and
// render_probe.cpp, JSON in json_doctor.cpp.

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
};

inline constexpr EnumWords<diag::Confirmation, 3> kConfirmations = {
    {{diag::Confirmation::confirmed, "confirmed"},
     {diag::Confirmation::contradicted, "contradicted"},
     {diag::Confirmation::undecided, "undecided"}}};

void print_text(Screen& screen, const datapath::ProbeReport& report);

// Prints the runs of a log with the states that its lines show.
void print_text(Screen& screen, const DoctorResult::Log& log);
void print_text(Screen& screen, const DoctorResult& result, int verbosity);

// Prints which NICs do not use their VFs when a log ends, and how often the VFs were removed. The
// result must have a verdict.
void print_nics(Screen& screen, const DoctorResult& result, int verbosity);

// Returns the command that writes a bundle with the machine and the logs of `result`, to report a
// failure whose cause is unknown.
std::string report_command(const DoctorResult& result);

// Prints the document of schemas/doctor.schema.json.
void print_json(std::ostream& out, const DoctorResult& result, Exit exit);

}  // namespace manactl::cli
