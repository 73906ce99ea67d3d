// SPDX-License-Identifier: MIT
//
// Runs the commands that decide between the possible causes of a line.

#include "diag/decision.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/program.h"
#include "base/text.h"
#include "diag/logs.h"

namespace manactl::diag::decision_test {
namespace {

constexpr std::string_view kGrep = " | grep ";

PossibleCause cause_with(const std::string& confirm) {
  return {"cause", confirm, Confirmation::undecided, {}};
}

std::string decided_by(const std::vector<std::string>& commands) {
  std::vector<PossibleCause> causes;
  for (const auto& command : commands) causes.push_back(cause_with("`" + command + "` prints it"));
  return best_decision(causes).value().command;
}

TEST(Decision, MergesPatternsOfOneSyntax) {
  EXPECT_EQ(decided_by({"lsmod | grep -E 'uio_hv_generic|hv_netvsc'"}),
            R"(lsmod | grep -E "uio_hv_generic|hv_netvsc")");
  EXPECT_EQ(decided_by({"dmesg | grep -E \"HWC|reset\"", "dmesg | grep HWC", "dmesg | grep vPort"}),
            R"(dmesg | grep -E "HWC|reset|vPort")");
  EXPECT_EQ(decided_by({"dmesg | grep mana"}), R"(dmesg | grep "mana")");
  const std::string basic = R"re(dmesg | grep "mana.*\(HWC\|service\)")re";
  EXPECT_EQ(decided_by({basic, basic, "dmesg | grep mana"}), basic);
}

// The texts that the grep of a command must find.
std::vector<std::string> texts_of(std::string_view command) {
  std::vector<std::string> texts;
  const auto begin = command.find_first_of("\"'", command.find(kGrep));
  auto pattern = begin == std::string_view::npos ? command.substr(command.rfind(' ') + 1)
                                                 : command.substr(begin + 1);
  if (begin != std::string_view::npos) pattern.remove_suffix(1);
  std::string one;
  std::string before_group;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const bool is_escaped = c == '\\' && i + 1 < pattern.size();
    const char symbol = is_escaped ? pattern[++i] : c;
    if (symbol == '(') {
      before_group = one;
    } else if (symbol == '|') {
      texts.push_back(one);
      one = before_group;
    } else if (symbol != ')' && symbol != '*' && symbol != '^') {
      one += symbol;
    }
  }
  texts.push_back(one);
  return texts;
}

bool finds(const std::string& command, const std::string& text) {
  const auto search = command.substr(command.find(kGrep) + 3);
  const auto result =
      run_program({"/bin/sh", "-c", "printf '%s\\n' \"$1\" | " + search, "sh", text}, 10000);
  return result && result->status == 0;
}

TEST(Decision, OfEverySignatureFindsTheTextsOfItsCauses) {
  std::size_t searched = 0;
  for (const auto& one : test::signatures().all()) {
    std::vector<PossibleCause> causes;
    for (const auto& alternative : one.alternatives) {
      causes.push_back(cause_with(alternative.confirm));
    }
    const auto decision = best_decision(causes);
    const auto at = decision ? decision->command.find(kGrep) : std::string::npos;
    if (at == std::string::npos) continue;
    for (const auto& alternative : one.alternatives) {
      const auto command = std::string(split(alternative.confirm + "``", '`')[1]);
      const bool is_other = command.substr(0, at) != decision->command.substr(0, at) ||
                            command.find(kGrep) != at || command.find(" -", at + 8) == at + 7;
      if (!alternative.confirm.starts_with('`') || is_other) continue;
      // A whole command decides only the causes that name it.
      const bool is_whole = command.find_first_of("\\$") != std::string::npos ||
                            decision->command.find_first_of("\\$") != std::string::npos ||
                            command.find("grep -i") != decision->command.find("grep -i");
      if (is_whole && command != decision->command) continue;
      for (const auto& text : texts_of(command)) {
        ++searched;
        EXPECT_TRUE(finds(decision->command, text))
            << one.id << ": " << decision->command << ": " << text;
      }
    }
  }
  EXPECT_GE(searched, 40U);
}

TEST(Decision, IsACommandForAShellThatEnds) {
  for (const auto& one : test::signatures().all()) {
    for (const auto& alternative : one.alternatives) {
      for (const auto* prompt : {"`show ", "`stop`", "`dump_", "`vmstat 1`"}) {
        EXPECT_FALSE(alternative.confirm.starts_with(prompt)) << one.id;
      }
    }
  }
  const std::string uuid = "6045bdc0-bd67-6045-bdc0-bd676045bdc0";
  const auto diagnosis = test::diagnose_text(
      "Linux version 6.1.0-56-cloud-amd64 (gcc 12.2.0) #1 SMP\nuio_hv_generic " + uuid +
      ": sysfs create ring bin file failed; -17\n");
  ASSERT_TRUE(diagnosis.root);
  EXPECT_THAT(
      diagnosis.root->alternatives,
      testing::Contains(testing::Field(
          &PossibleCause::confirm, testing::HasSubstr("/devices/" + uuid + "/channels/*/ring"))));
}

}  // namespace
}  // namespace manactl::diag::decision_test
