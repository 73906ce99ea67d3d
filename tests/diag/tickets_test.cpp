// SPDX-License-Identifier: MIT
//
// Diagnoses the tickets of tests/tickets and compares with the expectations in the files EXPECTED.*
// of each round. Results that are known to be wrong are listed with the reason.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "diag/logs.h"

namespace manactl::diag::tickets_test {
namespace {

const std::string kFolder = std::string(MANACTL_SOURCE_DIR) + "/tests/tickets/";

std::string contents(const std::string& name) {
  std::ifstream file(kFolder + name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + kFolder + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Ticket {
  std::string name, answer, root;
  std::string known_wrong;  // why the answer is wrong; empty if it is right
};

// Each file EXPECTED.KIND has the rows of one kind of tickets.
std::vector<Ticket> read_tickets(const std::string& round) {
  std::vector<Ticket> tickets;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder + round)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("EXPECTED.")) continue;
    const auto text = contents(round + "/" + name);
    for (const auto line : split(text, '\n')) {
      if (line.empty() || line.starts_with('#')) continue;
      const auto words = split(line, '\t');
      Ticket ticket{
          std::string(words.at(0)), std::string(words.at(1)), std::string(words.at(2)), {}};
      if (words.size() > 3) ticket.known_wrong = words[3];
      tickets.push_back(std::move(ticket));
    }
  }
  std::ranges::sort(tickets, {}, &Ticket::name);
  return tickets;
}

Diagnosis diagnosis_of(const std::string& text) {
  const auto log = test::read_text(text);
  return diagnose(log.ticket.checks, {log}, log.ticket.observations);
}

void expect_answer(const std::string& round, const Ticket& ticket) {
  const auto diagnosis = diagnosis_of(contents(round + "/" + ticket.name + ".txt"));
  const auto root = test::root_id(diagnosis);
  EXPECT_EQ(word_of(kAnswers, diagnosis.verdict->answer), ticket.answer) << ticket.known_wrong;
  EXPECT_EQ(root.empty() ? "-" : root, ticket.root) << ticket.known_wrong;
}

class TicketOfRound1 : public testing::TestWithParam<Ticket> {};

class TicketOfRound2 : public testing::TestWithParam<Ticket> {};

class TicketOfRound3 : public testing::TestWithParam<Ticket> {};

TEST_P(TicketOfRound1, HasTheExpectedAnswerAndRootCause) {
  expect_answer("round1", GetParam());
}

TEST_P(TicketOfRound2, HasTheExpectedAnswerAndRootCause) {
  expect_answer("round2", GetParam());
}

TEST_P(TicketOfRound3, HasTheExpectedAnswerAndRootCause) {
  expect_answer("round3", GetParam());
}

std::string name_of_case(const testing::TestParamInfo<Ticket>& info) {
  auto name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tickets,
                         TicketOfRound1,
                         testing::ValuesIn(read_tickets("round1")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Tickets,
                         TicketOfRound2,
                         testing::ValuesIn(read_tickets("round2")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Tickets,
                         TicketOfRound3,
                         testing::ValuesIn(read_tickets("round3")),
                         name_of_case);

// An output shows that it is a VM of Azure.
TEST(Tickets, AreNotAboutManaIfTheVfIsAnotherNic) {
  const std::string kEnd = "vm:~$\n";
  const std::string counters = "vm:~$ ethtool -S eth0 | grep vf_\n     vf_rx_packets: 8812033\n";
  const std::string uname = "vm:~$ uname -r\n6.8.0-1046-azure\n";
  const std::string lspci =
      "vm:~$ lspci\nd3a4:00:02.0 Ethernet controller: Mellanox Technologies MT27800 Family "
      "[ConnectX-5 Virtual Function] (rev 80)\n";
  const std::string driver = "vm:~$ ethtool -i enP54180s1\ndriver: mlx5_core\n";
  for (const auto& text : {driver + counters + kEnd, counters + uname + lspci + kEnd}) {
    const auto diagnosis = diagnosis_of(text);
    EXPECT_EQ(diagnosis.verdict->answer, Answer::not_mana) << text;
    EXPECT_EQ(test::root_id(diagnosis), "") << text;
  }
}

// Returns the number of tickets of these kinds, and expects that each is listed.
std::size_t listed_tickets(const std::string& round, const std::vector<std::string>& kinds) {
  std::size_t files = 0;
  const auto tickets = read_tickets(round);
  for (const auto& kind : kinds) {
    for (const auto& entry : std::filesystem::directory_iterator(kFolder + round)) {
      const auto name = entry.path().filename().string();
      if (!name.starts_with(kind) || !name.ends_with(".txt")) continue;
      ++files;
      const auto is_it = [&name](const Ticket& one) { return one.name + ".txt" == name; };
      EXPECT_TRUE(std::ranges::any_of(tickets, is_it)) << name;
    }
  }
  return files;
}

TEST(Tickets, AreListedCompletely) {
  EXPECT_EQ(listed_tickets("round1", {"kernel-", "pasted-", "dpdk-", "real-"}), 80U);
  EXPECT_EQ(listed_tickets("round2", {"kernel-", "pasted-", "dpdk-", "real-"}), 40U);
  EXPECT_EQ(listed_tickets("round3", {"kernel-", "pasted-", "dpdk-", "real-"}), 40U);
}

}  // namespace
}  // namespace manactl::diag::tickets_test
