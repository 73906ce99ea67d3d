// SPDX-License-Identifier: MIT
//
// The answer of doctor, as text for people and JSON for programs.

#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "datapath/probe.h"
#include "diag/doctor.h"

namespace manactl::cli {

struct DoctorResult {
  const diag::Diagnosis& diagnosis;
  const diag::Report& report;  // the checks that took part

  struct Log {
    std::string name;
    std::uint64_t lines = 0;
    std::string dpdk_release;
  };

  std::vector<Log> logs;
  std::vector<std::string> notes;  // "this machine has no MANA; the log was judged alone"
  Exit exit = Exit::ok;
  const datapath::ProbeReport* probe = nullptr;  // absent unless asked for
};

void text(Screen& screen, const datapath::ProbeReport& report);

void text(Screen& screen, const DoctorResult& result, int verbosity);
void json(std::ostream& out, const DoctorResult& result);  // schemas/doctor.schema.json

}  // namespace manactl::cli
