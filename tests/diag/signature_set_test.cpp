// SPDX-License-Identifier: MIT

#include "diag/signature_set.h"

#include <gmock/gmock.h>
#include <re2/re2.h>

#include <set>

#include "diag/check.h"
#include "diag/evidence.h"
#include "diag/logs.h"

namespace manactl::diag::signature_set_test {
namespace {

using test::signatures;

// "HugePages_" begins an output of /proc/meminfo, but no report of counters.
TEST(Literals, AreOfSignaturesOfCountersOrOfTickets) {
  const auto& set = signatures();
  const auto may_begin_counters = [&set](std::string_view line) {
    return set.may_begin_counters(set.texts_in(line));
  };
  constexpr std::string_view kTicket = "$ sudo lspci";
  constexpr std::string_view kOutput = "HugePages_Total:    1024";
  constexpr std::string_view kCounters = "  ####### NIC statistics for port 0  ######";
  constexpr std::string_view kSignature = "EAL: Detected CPU lcores: 2";
  for (const auto line : {kTicket, kOutput, kCounters, kSignature}) {
    EXPECT_TRUE(set.may_match(line)) << line;
    EXPECT_EQ(set.may_begin_ticket(line), line == kTicket || line == kOutput) << line;
    EXPECT_EQ(may_begin_counters(line), line == kCounters) << line;
  }
}

class EverySignature : public testing::TestWithParam<std::size_t> {
 protected:
  const Signature& signature() const { return signatures().all()[GetParam()]; }
};

TEST_P(EverySignature, IsTheOnlyMatchOfItsExamples) {
  ASSERT_FALSE(signature().examples.empty());
  if (is_rule(signature())) return;  // its examples are a log
  for (const auto& example : signature().examples) {
    const auto matches = signatures().matches(example);
    ASSERT_EQ(matches.size(), 1U) << signature().id << ": " << example;
    EXPECT_EQ(matches[0].signature->id, signature().id) << example;
    EXPECT_TRUE(signatures().may_match(example)) << example;
  }
}

TEST_P(EverySignature, IsFoundAfterAPrefixAndInTheMiddleOfALine) {
  if (is_rule(signature())) return;  // its examples are a log
  // A line of a file, of which a comment is another line.
  if (signature().match.find("|^") != std::string::npos) return;
  for (const auto& example : signature().examples) {
    const auto report = test::read_text("EAL: Detected " + example + "\n");
    ASSERT_EQ(report.lines, 1U);
    EXPECT_EQ(report.matched_lines, 1U) << signature().id << ": " << example;
  }
}

// The examples of a rule are a log. For an absence, it is complete only with the line that must
// precede its last line.
TEST_P(EverySignature, AppliesToTheLogOfItsExamplesIfItIsARule) {
  if (!is_rule(signature())) return;
  const auto has_it = [this](const LogReport& report) {
    const auto is_it = [this](const auto& e) { return e.signature == &signature(); };
    return std::ranges::any_of(report.entries, is_it) ||
           std::ranges::any_of(report.runs, [&is_it](const auto& run) {
             return std::ranges::any_of(run.milestones, is_it);
           });
  };
  std::string log;
  for (const auto& example : signature().examples) log += example + "\n";
  EXPECT_TRUE(has_it(test::read_text(log)));
  if (!signature().absence) return;
  for (const auto& other : signatures().all()) {
    if (is_rule(other) || !matches_any_id(signature().absence->without, other.id)) continue;
    auto examples = signature().examples;
    examples.insert(examples.end() - 1, other.examples.front());
    std::string complete;
    for (const auto& example : examples) complete += example + "\n";
    EXPECT_FALSE(has_it(test::read_text(complete))) << other.id;
  }
}

TEST_P(EverySignature, NamesChecksThatExist) {
  for (const auto& id : signature().checks) {
    EXPECT_NE(find_check(id), nullptr) << signature().id << " names " << id;
  }
}

TEST_P(EverySignature, NamesAnObservationThatExists) {
  const auto& observation = signature().observation;
  EXPECT_TRUE(observation.empty() || std::ranges::count(observation_ids(), observation) == 1)
      << observation;
  EXPECT_TRUE(!signature().passing_contradicts || !signature().checks.empty());
}

TEST_P(EverySignature, NamesSignaturesThatExist) {
  const auto& s = signature();
  std::vector<std::vector<std::string>> lists = {s.explained_by, s.resolved_by, s.matters_after};
  if (s.repetition) lists.push_back(s.repetition->of);
  if (s.absence) lists.insert(lists.end(), {s.absence->from, s.absence->without, s.absence->until});
  for (const auto& list : lists) {
    for (const auto& name : list) {
      const auto is_named = [&name](const Signature& o) { return matches_id(name, o.id); };
      EXPECT_TRUE(std::ranges::any_of(signatures().all(), is_named)) << s.id << " names " << name;
      EXPECT_NE(name, s.id);
    }
  }
  for (const auto& name : s.benign_without) {
    const auto is_named = [&name](const Signature& o) { return matches_id(name, o.id); };
    EXPECT_TRUE(std::ranges::any_of(signatures().all(), is_named)) << s.id << " names " << name;
  }
}

TEST_P(EverySignature, HasAlternativesThatCanBeConfirmed) {
  EXPECT_NE(signature().alternatives.size(), 1U);
  for (const auto& one : signature().alternatives) {
    EXPECT_FALSE(one.cause.empty());
    EXPECT_THAT(one.confirm, testing::HasSubstr("`")) << "there is no command or option";
    for (const auto& id : one.checks) EXPECT_NE(find_check(id), nullptr) << id;
    EXPECT_TRUE(one.observation.empty() || std::ranges::count(observation_ids(), one.observation));
    for (const auto& [capture, value] : one.values) {
      EXPECT_THAT(signature().match, testing::HasSubstr("(?P<" + capture + ">"));
      EXPECT_NE(value, "");
    }
  }
}

TEST_P(EverySignature, HasAllTexts) {
  const auto& s = signature();
  EXPECT_FALSE(s.title.empty()) << s.id;
  // In the titles of rules, names of captures stand for shorter values.
  EXPECT_LE(s.title.size(), is_rule(s) ? 110U : 90U) << s.id;
  EXPECT_FALSE(s.meaning.empty()) << s.id;
  EXPECT_FALSE(s.cause.empty()) << s.id;
  EXPECT_FALSE(s.fix.empty()) << s.id;
  EXPECT_EQ(s.role == Role::cause || s.role == Role::consequence, s.rank > 0) << s.id;
}

// A fix that joins several by "or" leaves the choice to the reader: those are `other_fixes`, the
// best one first. The line of mana-start-tx-other has a number that decides.
TEST_P(EverySignature, HasOneChoiceInEachFix) {
  const auto& s = signature();
  if (s.id == "mana-start-tx-other" || s.role > Role::consequence) return;
  const re2::RE2 choice(
      "[,;] or "
      "(?:add|attach|bind|deallocate|disable|give|install|let|lower|more|move|omit|put|raise|"
      "reboot|redeploy|reduce|request|restart|run|send|set|start|stop|use|write)\\b");
  const auto expect_one = [&choice](const std::string& fix, const std::vector<Remedy>& others) {
    EXPECT_FALSE(re2::RE2::PartialMatch(fix, choice)) << fix;
    for (const auto& other : others) {
      EXPECT_FALSE(re2::RE2::PartialMatch(other.why, choice)) << other.why;
      EXPECT_NE(other.why, "");
    }
  };
  expect_one(s.fix, s.other_fixes);
  for (const auto& one : s.fixes) expect_one(one.fix, one.other_fixes);
  for (const auto& one : s.alternatives) expect_one(one.fix, one.other_fixes);
}

std::string name_of_case(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = signatures().all()[info.param].id;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Data,
                         EverySignature,
                         testing::Range<std::size_t>(0, signatures().all().size()),
                         name_of_case);

TEST(Signatures, HaveUniqueIds) {
  std::set<std::string> seen;
  for (const auto& signature : signatures().all()) {
    EXPECT_TRUE(seen.insert(signature.id).second) << signature.id;
  }
  EXPECT_GE(seen.size(), 150U);
}

// A shell takes "<MAC>" for a redirection.
TEST(Signatures, NamePlaceholdersInRemediesWithoutAngleBrackets) {
  static const re2::RE2 kBrackets("<[A-Za-z]+>");
  const auto check = [](const std::string& text, const std::string& id) {
    EXPECT_FALSE(re2::RE2::PartialMatch(text, kBrackets)) << id << ": " << text;
  };
  const auto check_all = [&check](const std::vector<Remedy>& remedies, const std::string& id) {
    for (const auto& one : remedies) {
      check(one.why, id);
      for (const auto& command : one.commands) check(command, id);
    }
  };
  for (const auto& signature : signatures().all()) {
    const auto& id = signature.id;
    check_all({{signature.fix, signature.commands}}, id);
    check_all(signature.other_fixes, id);
    for (const auto& one : signature.fixes) {
      check_all({{one.fix, one.commands}}, id);
      check_all(one.other_fixes, id);
    }
    for (const auto& one : signature.alternatives) {
      check(one.confirm, id);
      check_all({{one.fix, {}}}, id);
      check_all(one.other_fixes, id);
    }
  }
}

TEST(Signatures, CaptureNumbersOfALine) {
  const auto match = signatures().match("EAL: No free 2048 kB hugepages reported on node 1");
  ASSERT_TRUE(match);
  EXPECT_THAT(match->captures, testing::Contains(testing::Pair("kb", "2048")));
  EXPECT_THAT(match->captures, testing::Contains(testing::Pair("node", "1")));
}

TEST(Signatures, FindBothMessagesOfOneLine) {
  const auto matches = signatures().matches(
      "mana_start_tx_queues(): Failed to create qp queue index 0mana_dev_start(): failed to start "
      "tx queues -19");
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_NE(matches[0].signature, matches[1].signature);
}

Error error_of(std::string_view json) {
  const auto set = SignatureSet::parse(json);
  return set ? Error{} : set.error();
}

std::string one_signature(const std::string& match) {
  return R"({"signatures":[{"id":"a","title":"t","source":"s","role":"cause","rank":1,"examples":[],)"
         R"("meaning":"m","cause":"c","fix":"f","match":")" +
         match + "\"}]}";
}

TEST(Signatures, AcceptGoodData) {
  EXPECT_TRUE(SignatureSet::parse(one_signature("long enough")));
}

std::string entry(const std::string& id, const std::string& match) {
  return R"({"id":")" + id +
         R"(","title":"t","source":"s","role":"cause","rank":1,"examples":[],)"
         R"("meaning":"m","cause":"c","fix":"f","match":")" +
         match + "\"}";
}

std::vector<std::string> matching(const std::vector<std::string>& expressions,
                                  std::string_view line) {
  std::string entries;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    entries += (i == 0 ? "" : ",") + entry(std::to_string(i), expressions[i]);
  }
  const auto set = SignatureSet::parse(R"({"signatures":[)" + entries + "]}").value();
  std::vector<std::string> ids;
  for (const auto& match : set.matches(line)) ids.push_back(match.signature->id);
  EXPECT_EQ(set.match(line).has_value(), !ids.empty());
  return ids;
}

TEST(Signatures, OfOneLineAreTheLongestThatDoNotOverlap) {
  using testing::ElementsAre;
  EXPECT_THAT(matching({"first text", "secondtext"}, "first textsecondtext"),
              ElementsAre("0", "1"));
  EXPECT_THAT(matching({"first text", "secondtext"}, "secondtextfirst text"),
              ElementsAre("0", "1"));
  EXPECT_THAT(matching({"a long text", "long text and more"}, "a long text and more"),
              ElementsAre("1"));
  EXPECT_THAT(matching({"long text and more", "a long text"}, "a long text and more"),
              ElementsAre("0"));
  EXPECT_THAT(matching({"the same."}, "the same"), testing::IsEmpty());
  EXPECT_THAT(matching({"same text", "same tex."}, "same text"), ElementsAre("0"));
  EXPECT_THAT(matching({"same tex.", "same text"}, "same text"), ElementsAre("0"));
  EXPECT_THAT(matching({"any bytes ..$"}, "any bytes \xff\xfe"), ElementsAre("0"));
}

TEST(Signatures, CaptureOnlyGroupsThatMatch) {
  const auto set =
      SignatureSet::parse(R"({"signatures":[)" +
                          entry("a", "long text(?: of (?P<who>\\\\w+))?(?: in (?P<where>\\\\w+))") +
                          "]}")
          .value();
  EXPECT_EQ(set.match("a long text in here")->captures, (Captures{{"where", "here"}}));
  EXPECT_FALSE(set.match("a long text"));
  EXPECT_EQ(set.find("b"), nullptr);
}

TEST(Signatures, RefuseEachFaultWithTheNameOfTheSignature) {
  EXPECT_EQ(error_of(one_signature("1234567")).message,
            "signature 'a': each alternative of the pattern needs at least 8 literal characters in "
            "a row");
  EXPECT_EQ(error_of(one_signature("12345678")).message, "");
  EXPECT_EQ(error_of(one_signature("\\\\d")).code, Errc::invalid);
  EXPECT_EQ(error_of(one_signature("long enough \\\\8")).message,
            "signature 'a': invalid escape sequence: \\8");
  EXPECT_EQ(error_of(one_signature("(?i)long enough")).message,
            "signature 'a': unsupported expression: flags or lookaround");
  EXPECT_EQ(error_of("{").message, "cannot read the signatures: not JSON");
  EXPECT_THAT(error_of("{}").message, testing::StartsWith("cannot read the signatures: "));
}

TEST(Signatures, RefuseDataThatIsNotJsonOrIncomplete) {
  EXPECT_EQ(error_of("{").code, Errc::invalid);
  EXPECT_EQ(error_of(R"({"signatures":[{"id":"a"}]})").code, Errc::invalid);
}

TEST(Signatures, RefuseExpressionsWithoutPlainText) {
  EXPECT_THAT(error_of(one_signature("(?:long enough|x)")).message,
              testing::HasSubstr("literal characters in a row"));
  EXPECT_THAT(error_of(one_signature("unclosed text (")).message,
              testing::HasSubstr("signature 'a'"));
}

TEST(Signatures, RefuseAnUnknownRole) {
  const auto error =
      error_of(R"({"signatures":[{"id":"a","title":"t","source":"s","role":"boss"}]})");
  EXPECT_THAT(error.message, testing::HasSubstr("'boss'"));
}

// The commands of signatures are pasted on machines of all distributions.
TEST(Signatures, HaveCompleteCommandsForEveryDistribution) {
  for (const auto& signature : test::signatures().all()) {
    for (const auto& command : signature.commands) {
      EXPECT_THAT(command, testing::Not(testing::ContainsRegex("<|dpkg|apt-|dnf |zypper|rpm ")))
          << signature.id;
    }
  }
}

}  // namespace
}  // namespace manactl::diag::signature_set_test
