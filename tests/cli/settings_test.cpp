// SPDX-License-Identifier: MIT

#include "cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test {
namespace {

using testing::HasSubstr;

// What a check with this configuration file answers.
Outcome check_with(const std::string& path, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {
      "check", "--only", "hardware", "--root", fixture("healthy-two-nics"), "--config", path};
  words.insert(words.end(), more.begin(), more.end());
  return manactl(words);
}

bool is_json(const Outcome& outcome) {
  return nlohmann::json::accept(outcome.out);
}

TEST(Configuration, SetsOptionsGloballyAndByCommand) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(is_json(check_with(directory.file("a.toml", "json = true\n"))));
  EXPECT_TRUE(is_json(check_with(directory.file("b.toml", "# x\n[check]\njson = true\n"))));
  EXPECT_FALSE(is_json(check_with(directory.file("c.toml", "[doctor]\nscrub = true\n"))));
}

TEST(Configuration, IsBelowTheEnvironmentAndThatBelowOptions) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.toml", "[check]\nqueues = 99\n");
  EXPECT_THAT(check_with(path).err, HasSubstr(path));
  Surroundings around;
  around.environment = {"MANACTL_QUEUES=98", "MANACTL_CONFIG=" + path};
  const auto by_variable = manactl({"check", "--only", "hardware"}, around);
  EXPECT_EQ(by_variable.code, 2);
  EXPECT_THAT(by_variable.err, HasSubstr("MANACTL_QUEUES: --queues: '98'"));
  EXPECT_NE(check_with(path, {"--queues", "4"}).code, 2);
}

TEST(Variables, ThatAreWrongAreNamed) {
  for (const std::string variable : {"MANACTL_JSON=maybe",
                                     "MANACTL_COLOR=alwais",
                                     "MANACTL_ROOT=/nowhere",
                                     "MANACTL_CONFIG=/nowhere"}) {
    Surroundings around;
    around.environment = {variable};
    const auto outcome = manactl({"check"}, around);
    EXPECT_EQ(outcome.code, 2) << variable;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  }
}

Outcome with_variable(const std::string& variable, const std::vector<std::string>& words) {
  Surroundings around;
  around.environment = {variable, "PATH=/usr/bin:/bin"};
  return manactl(words, around);
}

TEST(Variables, OfBenchAreNotThoseOfSim) {
  const std::vector<std::string> sim = {"sim"};
  EXPECT_THAT(with_variable("MANACTL_ENGINE=verbs", sim).err, HasSubstr("a command is missing"));
  EXPECT_THAT(with_variable("MANACTL_SIM_ENGINE=verbs", sim).err,
              HasSubstr("MANACTL_SIM_ENGINE: --engine: 'verbs'"));
  EXPECT_THAT(with_variable("MANACTL_SIM_COLOR=sometimes", sim).err,
              HasSubstr("a command is missing"));
  EXPECT_THAT(with_variable("MANACTL_COLOR=sometimes", sim).err, HasSubstr("MANACTL_COLOR"));
  const std::vector<std::string> bench = {"bench", "--vdev", "net_null0"};
  EXPECT_THAT(with_variable("MANACTL_ENGINE=inline", bench).err, HasSubstr("MANACTL_ENGINE"));
  EXPECT_THAT(with_variable("MANACTL_ENGINE=verbs", bench).err, HasSubstr("--engine verbs"));
}

TEST(Configuration, MayHaveABomAndCrLf) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.toml", "\xef\xbb\xbfjson = true\r\n[check]\r\nqueues=4\r\n");
  EXPECT_TRUE(is_json(check_with(path)));
}

struct Refused {
  const char* name;
  std::string text;
  const char* says;
};

void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.name;
}

std::string name_of_case(const testing::TestParamInfo<Refused>& info) {
  return info.param.name;
}

class RefusedConfiguration : public testing::TestWithParam<Refused> {};

TEST_P(RefusedConfiguration, IsOneLine) {
  const TemporaryDirectory directory;
  const auto outcome = check_with(directory.file("a.toml", GetParam().text));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Text,
    RefusedConfiguration,
    testing::Values(Refused{"UnknownKey", "colour = 'never'\n", "did you mean 'color'?"},
                    Refused{"UnknownKeyOfCommand", "[check]\nquues = 4\n", "'queues'?"},
                    Refused{"KeyOfAnotherCommand", "[check]\nburst = 4\n", "unknown key 'burst'"},
                    Refused{"UnknownSection", "[chek]\nqueues = 4\n", "did you mean 'check'?"},
                    Refused{"NestedSection", "[check.deep]\nqueues = 4\n", "check.deep"},
                    Refused{"WrongType", "[check]\nqueues = true\n", "--queues: 'true'"},
                    Refused{
                        "NoFlag", "json = maybe\n", "--json: 'maybe' is neither true nor false"},
                    Refused{"Unclosed", "json = \"yes\n", "--json: '"},
                    Refused{"UnclosedSection", "[check\njson = true\n", "unknown key '[check'"},
                    Refused{"NoKey", "= 5\n", "unknown key ''"},
                    Refused{"Twice", "json = true\njson = false\n", "'json' is given twice"},
                    Refused{"TwiceInSection", "[check]\nqueues=1\nqueues=2\n", "given twice"},
                    Refused{"OptionOfACommand", "queues = 4\n", "unknown key 'queues'"},
                    Refused{"Scientific", "[check]\nqueues = 1e9\n", "--queues: '1e9'"},
                    Refused{"Nul", std::string("json = true\n\0", 13), "NUL"},
                    Refused{"TooLarge", std::string(70000, '#'), "64 KiB"},
                    Refused{"NoText", "\x01\x02\x03\x04 = 5\n", "unknown key"}),
    name_of_case);

TEST(Configuration, ThatOthersMayWriteIsRefused) {
  const TemporaryDirectory directory;
  for (const unsigned mode : {0666U, 0620U, 0602U}) {
    const auto outcome = check_with(directory.file("a.toml", "json = true\n", mode));
    EXPECT_EQ(outcome.code, 2) << mode;
    EXPECT_THAT(outcome.err, HasSubstr("others may write"));
  }
}

TEST(Configuration, ThatIsALinkOrAPipeOrADirectoryIsRefused) {
  const TemporaryDirectory directory;
  directory.file("real.toml", "json = true\n");
  ASSERT_EQ(symlink(directory.path("real.toml").c_str(), directory.path("link").c_str()), 0);
  EXPECT_THAT(check_with(directory.path("link")).err, HasSubstr("symbolic link"));
  ASSERT_EQ(symlink(directory.path("loop").c_str(), directory.path("loop").c_str()), 0);
  EXPECT_EQ(check_with(directory.path("loop")).code, 2);
  ASSERT_EQ(mkfifo(directory.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(check_with(directory.path("pipe")).err, HasSubstr("not a regular file"));
  EXPECT_THAT(check_with("/").err, HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace manactl::test
