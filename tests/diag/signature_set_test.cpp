// SPDX-License-Identifier: MIT

#include "diag/signature_set.h"

#include <gmock/gmock.h>

#include <set>

#include "diag/check.h"
#include "diag/evidence.h"
#include "diag/logs.h"

namespace manactl::diag {
namespace {

using test::signatures;

class EverySignature : public testing::TestWithParam<std::size_t> {
 protected:
  const Signature& signature() const { return signatures().all()[GetParam()]; }
};

TEST_P(EverySignature, IsTheOnlyMatchOfItsExamples) {
  ASSERT_FALSE(signature().examples.empty());
  for (const auto& example : signature().examples) {
    const auto matches = signatures().matches(example);
    ASSERT_EQ(matches.size(), 1U) << signature().id << ": " << example;
    EXPECT_EQ(matches[0].signature->id, signature().id) << example;
    EXPECT_TRUE(signatures().may_match(example)) << example;
  }
}

TEST_P(EverySignature, IsFoundAfterAPrefixAndInTheMiddleOfALine) {
  for (const auto& example : signature().examples) {
    const auto report = test::read_text("EAL: Detected " + example + "\n");
    ASSERT_EQ(report.lines, 1U);
    EXPECT_EQ(report.matched_lines, 1U) << signature().id << ": " << example;
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
  for (const auto* list : {&s.explained_by, &s.benign_without, &s.resolved_by}) {
    for (const auto& name : *list) {
      const bool is_family = name.ends_with('*');
      const auto family = std::string_view(name).substr(0, name.size() - 1);
      const bool exists =
          is_family ? std::ranges::any_of(signatures().all(),
                                          [&](const auto& o) { return o.id.starts_with(family); })
                    : signatures().find(name) != nullptr;
      EXPECT_TRUE(exists) << s.id << " names " << name;
      EXPECT_NE(name, s.id);
    }
  }
}

TEST_P(EverySignature, HasAllTexts) {
  const auto& s = signature();
  EXPECT_FALSE(s.title.empty()) << s.id;
  EXPECT_LE(s.title.size(), 90U) << s.id;
  EXPECT_FALSE(s.meaning.empty()) << s.id;
  EXPECT_FALSE(s.cause.empty()) << s.id;
  EXPECT_FALSE(s.fix.empty()) << s.id;
  EXPECT_EQ(s.role == Role::cause || s.role == Role::consequence, s.rank > 0) << s.id;
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

}  // namespace
}  // namespace manactl::diag
