// SPDX-License-Identifier: MIT

#include "base/json_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace manactl::json_fields_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(JsonDocument, DistinguishesObjectsOtherValuesAndInvalidText) {
  EXPECT_TRUE(JsonDocument("{}").is_object());
  EXPECT_TRUE(JsonDocument("[1]").is_json());
  EXPECT_FALSE(JsonDocument("[1]").is_object());
  EXPECT_FALSE(JsonDocument("{").is_json());
  EXPECT_FALSE(JsonDocument("").is_object());
}

TEST(JsonFields, ReturnsKeysInTheOrderOfTheDocument) {
  JsonDocument document(R"({"zeta": 1, "alpha": 2, "error": null})");
  EXPECT_THAT(document.root().keys(), ElementsAre("zeta", "alpha", "error"));
}

TEST(JsonFields, ReturnsAllNumbersInTheOrderOfTheDocument) {
  JsonDocument document(R"({"zeta": 1, "alpha": 18446744073709551615})");
  EXPECT_THAT(document.root().all_numbers(),
              ElementsAre(std::pair("zeta", 1U), std::pair("alpha", UINT64_MAX)));
  EXPECT_EQ(document.error(), "");
  JsonDocument wrong(R"({"counters": {"zeta": 1, "alpha": "2"}})");
  (void)wrong.root().object("counters").all_numbers();
  EXPECT_THAT(wrong.error(), StartsWith("'alpha' is not a whole number"));
}

TEST(JsonFields, ReportsTheTypesOfFields) {
  JsonDocument document(R"({"object": {}, "text": "x", "null": null})");
  const auto root = document.root();
  EXPECT_TRUE(root.is_object("object"));
  EXPECT_FALSE(root.is_object("text"));
  EXPECT_TRUE(root.is_text("text"));
  EXPECT_FALSE(root.is_text("missing"));
  EXPECT_FALSE(root.has("null"));
  EXPECT_EQ(document.error(), "");
}

TEST(JsonFields, NamesTheObjectOfTheFirstWrongField) {
  JsonDocument document(R"({"plan": {"ports": [{"queues": 1}, {"queues": -1}]}, "id": 3})");
  const auto root = document.root();
  const auto ports = root.object("plan").objects("ports");
  ASSERT_EQ(ports.size(), 2U);
  EXPECT_EQ(ports[0].number("queues"), 1U);
  EXPECT_EQ(ports[1].number("queues"), 0U);
  EXPECT_EQ(root.text("id"), "");
  EXPECT_THAT(document.error(), AllOf(StartsWith("'queues' "), HasSubstr("(in plan.ports[1])")));
}

TEST(JsonFields, NamesNoObjectForTheFieldsOfTheRoot) {
  JsonDocument document(R"({"id": 3})");
  EXPECT_EQ(document.root().text("id"), "");
  EXPECT_THAT(document.error(), AllOf(StartsWith("'id' "), testing::Not(HasSubstr("(in"))));
}

TEST(JsonFields, ChecksTheMaximumOfEveryNumberInAList) {
  JsonDocument document(R"({"outputs": [1, 256]})");
  EXPECT_THAT(document.root().numbers("outputs", 255), ElementsAre(1U, 0U));
  EXPECT_THAT(document.error(), HasSubstr("255"));
}

TEST(JsonFields, EscapesControlCharactersOfKeys) {
  JsonDocument document("{\"a\\u001b\": {\"b\\n\": {}}}");
  const auto inner = document.root().object("a\x1b");
  EXPECT_EQ(inner.number("b\n"), 0U);
  EXPECT_EQ(document.error().find_first_of("\x1b\n"), std::string::npos);
}

TEST(JsonFields, ReadsFieldsOfEveryType) {
  JsonDocument document(R"({"name": "eth1", "queues": 4, "rate": 1.5, "up": true, "none": null,
                            "cpus": [1, 2], "words": ["a"], "port": {"mtu": 1500}})");
  const auto root = document.root();
  EXPECT_EQ(root.text("name"), "eth1");
  EXPECT_EQ(root.number("queues"), 4U);
  EXPECT_DOUBLE_EQ(root.real("rate"), 1.5);
  EXPECT_TRUE(root.flag("up"));
  EXPECT_FALSE(root.has("none"));
  EXPECT_THAT(root.numbers("cpus"), ElementsAre(1, 2));
  EXPECT_THAT(root.texts("words"), ElementsAre("a"));
  EXPECT_EQ(root.object("port").number("mtu"), 1500U);
  EXPECT_EQ(root.text_or_empty("none"), "");
  EXPECT_EQ(root.number_or_zero("absent"), 0U);
  EXPECT_EQ(document.error(), "");
}

TEST(JsonFields, KeepsTheFirstError) {
  JsonDocument document(R"({"queues": -1, "name": 2})");
  const auto root = document.root();
  EXPECT_EQ(root.number("queues", 16), 0U);
  EXPECT_EQ(root.text("name"), "");
  EXPECT_EQ(document.error(), "'queues' is not a whole number from 0 to 16");
}

TEST(JsonFields, ReportsAWrongElementOfAList) {
  JsonDocument document(R"({"words": ["a", 1]})");
  EXPECT_THAT(document.root().texts("words"), ElementsAre("a"));
  EXPECT_EQ(document.error(), "'words' has an element that is not a string");
}

TEST(JsonDocument, ReportsTextThatIsNotJson) {
  EXPECT_FALSE(JsonDocument("{").is_json());
  EXPECT_TRUE(JsonDocument("{}").is_json());
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(JsonDocument, LimitsItsDepth) {
  const auto nested = [](std::size_t depth) { return repeated("[", depth) + repeated("]", depth); };
  EXPECT_TRUE(JsonDocument(nested(64)).is_json());
  const JsonDocument deep(nested(65));
  EXPECT_FALSE(deep.is_json());
  EXPECT_EQ(deep.error(), "it is nested deeper than 64 levels");
  EXPECT_EQ(JsonDocument(repeated("[", 100000)).error(), "it is nested deeper than 64 levels");
}

TEST(JsonDocument, LimitsTheMembersOfAnObject) {
  const auto members = [](std::size_t count) {
    return "{" + repeated("\"a\":0,", count - 1) + "\"a\":0}";
  };
  EXPECT_TRUE(JsonDocument(members(4096)).is_json());
  EXPECT_EQ(JsonDocument(members(4097)).error(), "an object has more than 4096 members");
  // Elements of an array are not members, and each object counts for itself.
  EXPECT_TRUE(JsonDocument("[" + members(4096) + "," + members(4096) + "]").is_json());
  EXPECT_TRUE(JsonDocument("[" + repeated("0,", 5000) + "0]").is_json());
}

TEST(JsonDocument, ChargesTheMemoryOfItsTree) {
  for (const std::string_view element : {"0", "\"\"", "[]", "{}", "{\"\":0}", "null", "-1.5"}) {
    Budget budget("the result", 4096);
    const auto text = "[" + repeated(std::string(element) + ",", 100) + "0]";
    const JsonDocument document(text, &budget);
    EXPECT_FALSE(document.is_json()) << element;
    EXPECT_EQ(document.error(), "the result needs more memory than the limit of 4 KiB");
  }
}

TEST(JsonDocument, SharesABudgetWithOthers) {
  Budget budget("the result", 2000);
  EXPECT_TRUE(JsonDocument("{\"a\": 0}", &budget).is_json());
  JsonDocument second("{\"a\": \"" + std::string(2000, 'x') + "\"}", &budget);
  EXPECT_FALSE(second.is_json());
}

TEST(JsonFields, StopsAtTheFirstErrorOfAList) {
  JsonDocument document(R"({"list": [{"a": 1}, 2, {"a": 3}], "words": ["a", 1, "b"]})");
  EXPECT_EQ(document.root().objects("list").size(), 1U);
  EXPECT_EQ(document.root().texts("words").size(), 0U);
  EXPECT_THAT(document.error(), HasSubstr("'list[1]' is not an object"));
}

TEST(JsonFields, ChargesMemoryOfTheCaller) {
  Budget budget("the result", 1000);
  JsonDocument document("{}", &budget);
  EXPECT_TRUE(document.root().charge(100));
  EXPECT_FALSE(document.root().charge(1000));
  EXPECT_FALSE(document.root().charge(0));
  EXPECT_THAT(document.error(), HasSubstr("limit of 1000 B"));
}

}  // namespace
}  // namespace manactl::json_fields_test
