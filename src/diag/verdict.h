// SPDX-License-Identifier: MIT
//
// The answer of doctor to the question whether the program or the NIC of the logs works.

#pragma once

#include <optional>
#include <string>

#include "base/enum_words.h"
#include "diag/story.h"

namespace manactl::diag {

enum class Answer {
  works,           // the last run shows a working device
  away,            // a VF that worked is not used when the log ends, but this need not be a fault
  degraded,        // packets pass, but not on the VF of each NIC, or not reliably
  worked_until,    // it did until a failure
  failed,          // and the root cause is known
  failed_unknown,  // and the cause is not known
  no_failure,      // the logs show neither a failure nor a working device
  not_mana,        // the logs contain no line of MANA, or lines of other NICs only
};

inline constexpr EnumWords<Answer, 8> kAnswers = {{
    {Answer::works, "works"},
    {Answer::away, "away"},
    {Answer::degraded, "degraded"},
    {Answer::worked_until, "worked-until"},
    {Answer::failed, "failed"},
    {Answer::failed_unknown, "failed-unknown"},
    {Answer::no_failure, "no-failure"},
    {Answer::not_mana, "not-mana"},
}};

constexpr bool is_failure(Answer answer) {
  return answer == Answer::degraded || answer == Answer::worked_until || answer == Answer::failed ||
         answer == Answer::failed_unknown;
}

struct Verdict {
  Answer answer = Answer::no_failure;
  std::optional<Milestone> worked;  // the newest line that shows a working device
  std::optional<Quote> failure;     // the line that shows the failure
  // The report whose counters have not changed: nothing shows that the program works.
  std::optional<Milestone> idle = {};
};

struct LogReport;

// Judges one log. `root` is the line of the root cause, if it is in this log.
Verdict judge(const LogReport& log, const std::optional<Quote>& root);

// Returns the verdict that ranks higher: failures first, then degraded, away, works,
// no-failure, and not-mana.
const Verdict& more_serious(const Verdict& one, const Verdict& other);

}  // namespace manactl::diag
