// SPDX-License-Identifier: MIT

#include "cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test::settings_test {
namespace {

using testing::HasSubstr;

// Runs manactl check with the configuration file `path`.
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

TEST(Configuration, IsOverriddenByVariablesAndThoseByOptions) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.toml", "[check]\nqueues = 99\n");
  EXPECT_THAT(check_with(path).err, HasSubstr(path));
  ProcessOptions process;
  process.environment = {"MANACTL_QUEUES=98", "MANACTL_CONFIG=" + path};
  const auto by_variable = manactl({"check", "--only", "hardware"}, process);
  EXPECT_EQ(by_variable.code, 2);
  EXPECT_THAT(by_variable.err, HasSubstr("MANACTL_QUEUES: --queues: '98'"));
  EXPECT_NE(check_with(path, {"--queues", "4"}).code, 2);
}

TEST(Variables, AreNamedInErrors) {
  for (const std::string variable : {"MANACTL_JSON=maybe",
                                     "MANACTL_COLOR=alwais",
                                     "MANACTL_ROOT=/nowhere",
                                     "MANACTL_CONFIG=/nowhere"}) {
    ProcessOptions process;
    process.environment = {variable};
    const auto outcome = manactl({"check"}, process);
    EXPECT_EQ(outcome.code, 2) << variable;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  }
}

Outcome with_variable(const std::string& variable, const std::vector<std::string>& words) {
  ProcessOptions process;
  process.environment = {variable, "PATH=/usr/bin:/bin"};
  return manactl(words, process);
}

TEST(Variables, AreSuggestedForMisspelledOnes) {
  const auto machine = fixture("healthy-two-nics");
  const auto errors = [&](const std::string& variable) {
    const auto outcome = with_variable(variable, {"status", machine});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(errors("MANACTL_QUEUE=4"),
            "manactl: unknown variable 'MANACTL_QUEUE'; did you mean 'MANACTL_QUEUES'?\n");
  EXPECT_EQ(errors("MANACTL_SIM_ENGIN=inline"),
            "manactl: unknown variable 'MANACTL_SIM_ENGIN'; did you mean 'MANACTL_SIM_ENGINE'?\n");
  EXPECT_EQ(errors("MANACTL_QUEUES=4"), "") << "of another command";
  EXPECT_EQ(errors("MANACTL_CONFIG="), "");
  EXPECT_EQ(errors("MANACTL_SIM_SETUP=x"), "") << "set by sim";
  EXPECT_EQ(errors("MANACTL_BUILD_TYPE=Debug"), "") << "of another program";
  EXPECT_EQ(with_variable("MANACTL_QUEUE=4", {"status", machine, "--quiet"}).err, "");
}

TEST(Variables, DifferBetweenBenchAndSim) {
  const std::vector<std::string> sim = {"sim"};
  EXPECT_THAT(with_variable("MANACTL_ENGINE=verbs", sim).err, HasSubstr("COMMAND is missing"));
  EXPECT_THAT(with_variable("MANACTL_SIM_ENGINE=verbs", sim).err,
              HasSubstr("MANACTL_SIM_ENGINE: --engine: 'verbs'"));
  EXPECT_THAT(with_variable("MANACTL_SIM_COLOR=sometimes", sim).err,
              HasSubstr("COMMAND is missing"));
  EXPECT_THAT(with_variable("MANACTL_COLOR=sometimes", sim).err, HasSubstr("MANACTL_COLOR"));
  const std::vector<std::string> bench = {"bench", "--vdev", "net_null0"};
  EXPECT_THAT(with_variable("MANACTL_ENGINE=inline", bench).err, HasSubstr("MANACTL_ENGINE"));
  EXPECT_THAT(with_variable("MANACTL_ENGINE=verbs", bench).err, HasSubstr("--engine verbs"));
}

// An option overrides the settings that it contradicts.
TEST(Settings, GiveWayToOptionsThatContradictThem) {
  const TemporaryDirectory directory;
  const auto json = directory.file("a.toml", "json = true\n");
  const auto as_text = check_with(json, {"-o", "text"});
  EXPECT_NE(as_text.code, 2) << as_text.err;
  EXPECT_FALSE(is_json(as_text));
  EXPECT_TRUE(is_json(check_with(directory.file("b.toml", "output = \"text\"\n"), {"--json"})));
  const auto machine = fixture("healthy-two-nics");
  const auto by_variable = with_variable("MANACTL_JSON=true", {"status", "-o", "text", machine});
  EXPECT_EQ(by_variable.code, 0) << by_variable.err;
  EXPECT_FALSE(is_json(by_variable));
  const auto variables =
      with_variable("MANACTL_JSON=true", {"args", "eth1", machine, "--for", "env"});
  EXPECT_THAT(variables.out, HasSubstr("BUS_INFO="));
}

TEST(Settings, OfARootGiveWayToABundle) {
  const TemporaryDirectory directory;
  const auto config =
      directory.file("a.toml", fmt::format("root = \"{}\"\n", fixture("vf-missing")));
  const auto machine = fixture("prepared-uio");
  const auto outcome = manactl({"status", machine, "--config", config});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, manactl({"status", machine}).out);
  EXPECT_EQ(manactl({"status", machine, "--root", fixture("vf-missing")}).code, 2);
}

TEST(Configuration, MayHaveABomAndCrLf) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.toml", "\xef\xbb\xbfjson = true\r\n[check]\r\nqueues=4\r\n");
  EXPECT_TRUE(is_json(check_with(path)));
}

struct BadConfiguration {
  const char* name;
  std::string text;
  const char* message;
};

void PrintTo(const BadConfiguration& bad, std::ostream* out) {
  *out << bad.name;
}

std::string name_of_case(const testing::TestParamInfo<BadConfiguration>& info) {
  return info.param.name;
}

class RejectedConfiguration : public testing::TestWithParam<BadConfiguration> {};

TEST_P(RejectedConfiguration, PrintsOneLine) {
  const TemporaryDirectory directory;
  const auto outcome = check_with(directory.file("a.toml", GetParam().text));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Text,
    RejectedConfiguration,
    testing::Values(
        BadConfiguration{"UnknownKey", "colr = 'never'\n", "did you mean 'color'?"},
        BadConfiguration{"UnknownKeyOfCommand", "[check]\nquues = 4\n", "'queues'?"},
        BadConfiguration{"KeyOfAnotherCommand", "[check]\nburst = 4\n", "unknown key 'burst'"},
        BadConfiguration{"UnknownSection", "[chek]\nqueues = 4\n", "did you mean 'check'?"},
        BadConfiguration{"NestedSection", "[check.deep]\nqueues = 4\n", "check.deep"},
        BadConfiguration{"WrongType", "[check]\nqueues = true\n", "--queues: 'true'"},
        BadConfiguration{"NotAFlag", "json = maybe\n", "--json: 'maybe' is neither true nor false"},
        BadConfiguration{
            "UnclosedString", "\njson = \"yes\n", "line 2: the string lacks its closing quote"},
        BadConfiguration{"UnclosedLiteral", "color = 'never\n", "line 1: the string lacks its"},
        BadConfiguration{
            "UnclosedAfterEscape", "color = \"never\\\"\n", "line 1: the string lacks"},
        BadConfiguration{"UnclosedArray",
                         "[check]\nonly = ['rdma', 'kernel'\nqueues = 4\n",
                         "line 2: the array lacks its closing ']'"},
        BadConfiguration{"UnclosedElement",
                         "[check]\nonly = ['rdma',\n 'kernel]\n",
                         "line 3: the string lacks its closing quote"},
        BadConfiguration{
            "UnclosedSection", "[check\njson = true\n", "line 1: '[check' lacks a ']'"},
        BadConfiguration{"NoValue", "# x\ncolor never\n", "line 2: 'color never' is not 'KEY = "},
        BadConfiguration{"UnknownKeyOnALine", "\n[check]\n burts = 4\n", "line 3: unknown key"},
        BadConfiguration{"NoKey", "= 5\n", "unknown key '"},
        BadConfiguration{"Twice", "json = true\njson = false\n", "'json' is given twice"},
        BadConfiguration{"TwiceInSection", "[check]\nqueues=1\nqueues=2\n", "given twice"},
        BadConfiguration{"OptionOfACommand", "queues = 4\n", "unknown key 'queues'"},
        BadConfiguration{"Scientific", "[check]\nqueues = 1e9\n", "--queues: '1e9'"},
        BadConfiguration{"Nul", std::string("json = true\n\0", 13), "NUL"},
        BadConfiguration{"TooLarge", std::string(70000, '#'), "64 KiB"},
        BadConfiguration{"NotText", "\x01\x02\x03\x04 = 5\n", "unknown key"}),
    name_of_case);

TEST(Configuration, MayHaveArraysOfSeveralLinesAndQuotesInComments) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.toml",
                                   "# it's a comment: [\njson = true  # \"\n[check]\n"
                                   "only = ['hardware',\n \"rdma\"]\n");
  const auto outcome = manactl({"check", "--root", fixture("healthy-two-nics"), "--config", path});
  EXPECT_TRUE(is_json(outcome)) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rdma.core"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("kernel.mana")));
}

TEST(Configuration, RejectsAFileThatOthersCanWrite) {
  const TemporaryDirectory directory;
  for (const unsigned mode : {0666U, 0620U, 0602U}) {
    const auto outcome = check_with(directory.file("a.toml", "json = true\n", mode));
    EXPECT_EQ(outcome.code, 2) << mode;
    EXPECT_THAT(outcome.err, HasSubstr("is writable by others"));
  }
}

TEST(Configuration, RejectsLinksPipesAndDirectories) {
  const TemporaryDirectory directory;
  directory.file("real.toml", "json = true\n");
  ASSERT_EQ(symlink(directory.path("real.toml").c_str(), directory.path("link").c_str()), 0);
  EXPECT_THAT(check_with(directory.path("link")).err, HasSubstr("symbolic link"));
  ASSERT_EQ(symlink(directory.path("loop").c_str(), directory.path("loop").c_str()), 0);
  EXPECT_EQ(check_with(directory.path("loop")).code, 2);
  ASSERT_EQ(mkfifo(directory.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(check_with(directory.path("pipe")).err, HasSubstr("not a regular file"));
  EXPECT_THAT(check_with("/tmp").err, HasSubstr("not a regular file"));
  EXPECT_THAT(check_with("/").err, HasSubstr("not the name of a file"));
}

TEST(Configuration, RejectsADirectoryInWhichOthersCanReplaceTheFile) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkdir(directory.path("shared").c_str(), 0700), 0);
  const auto path = directory.file("shared/a.toml", "json = true\n");
  EXPECT_TRUE(is_json(check_with(path)));
  ASSERT_EQ(chmod(directory.path("shared").c_str(), 0777), 0);
  const auto outcome = check_with(path);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is writable by others"));
}

}  // namespace
}  // namespace manactl::test::settings_test
