// SPDX-License-Identifier: MIT
//
// The errors of the bench commands, and their exit codes, which are derived from their results.

#pragma once

#include "cli/context.h"
#include "report/ab.h"
#include "report/compare.h"
#include "report/merge.h"
#include "report/result.h"

namespace manactl::cli {

inline constexpr int kSignalBase = 128;

// Prints the error with the name of the command, such as "bench rm".
inline Exit refuse(Context& context, std::string_view command, const Error& error) {
  return report_error(context, because(error, command).value());
}

inline Exit exit_of(const report::BenchResult& result) {
  if (result.stop_signal != 0) return static_cast<Exit>(kSignalBase + result.stop_signal);
  const bool is_empty = !result.search && report::moved_nothing(result);
  return findings_if(is_empty || report::took_rejected_path(result));
}

inline Exit exit_of(report::Verdict verdict, bool strict) {
  return findings_if(verdict == report::Verdict::worse ||
                     (strict && verdict == report::Verdict::inconclusive));
}

inline Exit exit_of(const report::AbResult& result, bool strict) {
  if (result.stop_signal != 0) return static_cast<Exit>(kSignalBase + result.stop_signal);
  return exit_of(verdict_of(result), strict);
}

inline Exit exit_of(const report::MergeResult& result) {
  return result.exceeds_max_loss() ? Exit::findings : Exit::ok;
}

// The exit code as the number in JSON documents.
template <class Subject>
int exit_code_of(const Subject& subject) {
  return static_cast<int>(exit_of(subject));
}

}  // namespace manactl::cli
