// SPDX-License-Identifier: MIT

#include "host/ticket/ticket.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "host/ticket_text.h"

namespace manactl::host::ticket_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- what is not used ---------------------------------------------------------------------------

TEST(Ticket, NamesTheOutputsAndTheirLines) {
  EXPECT_THAT(read_ticket("text\n$ lspci\n" + std::string(kLspci) + kLinks).outputs,
              ElementsAre("lspci (line 2)", "ip link (line 4)"));
}

TEST(Ticket, IgnoresLogsWithoutOutputs) {
  EXPECT_THAT(read_ticket("[    0.1] Linux version 6.6.90-vyos (b@c) #1 SMP\n").outputs, IsEmpty());
  EXPECT_THAT(read_ticket("EAL: Detected CPU lcores: 4\n").outputs, IsEmpty());
}

TEST(Ticket, UsesNoOutputsOfTwoHosts) {
  const auto ticket = read_ticket("user@one:~$ lspci\n" + std::string(kLspci) +
                                  "user@two:~$ uname -r\n6.8.0-1015-azure\n");
  EXPECT_EQ(ticket_facts(ticket), "");
  EXPECT_THAT(ticket.outputs, IsEmpty());
  EXPECT_THAT(ticket.unused, ElementsAre(HasSubstr("several hosts (one, two)")));
}

// Prompts without a host do not show that an interface changed its address.
TEST(Ticket, UsesNoOutputsOfTwoMacAddressesOfAnInterface) {
  const auto link = [](std::string_view mac) {
    return fmt::format("# ip -br link\neth0  UP  {} <BROADCAST,MULTICAST,UP,LOWER_UP>\n", mac);
  };
  const auto counters = std::string("# ethtool -S eth0 | grep vf_\n     vf_rx_packets: 7\n");
  const auto ticket =
      read_ticket(counters + link("00:00:5e:00:53:01") + counters + link("00:00:5e:00:53:02"));
  EXPECT_EQ(ticket_facts(ticket), "");
  EXPECT_THAT(ticket.unused, ElementsAre(HasSubstr("eth0 has several MAC addresses")));
  EXPECT_TRUE(ticket.is_hyperv);
  EXPECT_THAT(read_ticket(link("00:00:5e:00:53:01") + link("00:00:5e:00:53:01")).unused, IsEmpty());
}

TEST(Ticket, DistinguishesHostsByTheirAddresses) {
  const auto ticket = read_ticket("root@10.0.0.4:~# lspci\n" + std::string(kLspci) +
                                  "root@10.0.0.5:~# uname -r\n6.8.0-1015-azure\n");
  EXPECT_THAT(ticket.unused, ElementsAre(HasSubstr("several hosts (10.0.0.4, 10.0.0.5)")));
}

TEST(Ticket, TakesTheNameOfUnameForThatOfTheHost) {
  EXPECT_EQ(ticket_facts("user@one:~$ uname -a\n"
                         "Linux two 6.8.0-1015-azure #17 SMP x86_64 x86_64 GNU/Linux\n"),
            "");
}

TEST(Ticket, UsesTheNewestOfTwoOutputsOfOneHost) {
  EXPECT_EQ(ticket_facts("user@vm1:~$ lsmod | grep mana\n"
                         "user@vm1:~$ sudo modprobe mana\n"
                         "user@vm1:~$ lsmod | grep -w mana\n"
                         "mana                  110592  0\n"),
            "module mana loaded\nmodule mana_ib available");
}

TEST(Ticket, UsesNeitherOfTwoOutputsThatDifferWithoutAHost) {
  const auto ticket = read_ticket(
      "$ uname -r\n6.8.0-1015-azure\n"
      "$ uname -r\n5.15.0-1060-azure\n");
  EXPECT_EQ(ticket_facts(ticket), "");
  EXPECT_THAT(ticket.unused, ElementsAre(HasSubstr("'kernel release'")));
}

TEST(Ticket, DoesNotKeepWhatANewerListLacks) {
  const std::string prompt = "user@vm1:~$ ";
  const std::string azure = prompt + "uname -r\n6.8.0-1015-azure\n";
  const std::string other = "0000:00:08.0 VGA compatible controller: Microsoft Hyper-V VGA\n";
  const std::string end = prompt + "exit\n";
  EXPECT_EQ(
      ticket_facts(azure + prompt + "lspci\n" + kLspci + other + prompt + "lspci\n" + other + end),
      "kernel 6.8.0-1015-azure  ubuntu\nno functions");
  const std::string link = "link mana_0/1 state ACTIVE physical_state LINK_UP\n";
  EXPECT_EQ(ticket_facts(prompt + "rdma link\n" + link + prompt + "rdma link\n" + end),
            "no rdma devices");
  const std::string header = "    device                 node GUID\n    ------    ------\n";
  EXPECT_EQ(ticket_facts(prompt + "ibv_devices\n" + header + "    mana_0  6045bdfffe000001\n" +
                         prompt + "ibv_devices\n" + header + end),
            "0 usable");
  EXPECT_EQ(ticket_facts(prompt + "rdma link\n" + prompt + "rdma link\n" + link + end),
            "module mana_ib loaded\nrdma mana_0");
}

// Other devices than those of the filter may still exist.
TEST(Ticket, KeepsWhatTheFilterOfANewerListDrops) {
  const std::string link = "link mana_0/1 state ACTIVE physical_state LINK_UP\n";
  EXPECT_EQ(
      ticket_facts("user@vm1:~$ rdma link\nlink rxe0/1 state ACTIVE physical_state LINK_UP\n" +
                   link + "user@vm1:~$ rdma link | grep mana\nuser@vm1:~$ exit\n"),
      "rdma rxe0");
}

TEST(Ticket, DoesNotKeepAnInterfaceThatANewerListLacks) {
  const std::string prompt = "user@vm1:~$ ";
  const std::string eth0 =
      "lo    UNKNOWN  00:00:00:00:00:00 <LOOPBACK,UP,LOWER_UP>\n"
      "eth0  UP  00:00:5e:00:53:01 <BROADCAST,MULTICAST,UP,LOWER_UP>\n";
  const std::string vf =
      "enP30832s1 UP 00:00:5e:00:53:01 <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP>\n";
  const std::string driver = prompt + "ethtool -i eth0\ndriver: hv_netvsc\nversion: 6.8\n";
  EXPECT_EQ(ticket_facts(driver + prompt + "ip -br link\n" + eth0 + vf + prompt + "ip -br link\n" +
                         eth0 + prompt + "exit\n"),
            "nic eth0 up");
}

// ---- what is missing proves nothing -------------------------------------------------------------

TEST(Ticket, ConcludesNothingFromACutOrFilteredList) {
  const std::string other =
      "0000:00:08.0 VGA compatible controller: Microsoft Corporation Hyper-V\n";
  const std::string azure = "[    0.0] Linux version 6.8.0-1015-azure (b@c) (gcc) #1 SMP\n";
  EXPECT_EQ(ticket_facts(azure + "$ lspci\n" + other + "$ date\n"),
            "kernel 6.8.0-1015-azure  ubuntu\nno functions");
  const std::vector<std::string> texts = {
      "$ lspci\n" + other,                            // the log ends
      "$ lspci\n" + other + "[...]\n$ date\n",        // cut
      "$ lspci | grep VGA\n" + other + "$ date\n",    // filtered
      "$ lspci -d 1414:5353\n" + other + "$ date\n",  // selected
      "$ lspci | head -5\n" + other + "$ date\n",     // cut by a program
      "$ lspci\n$ date\n",                            // nothing, without a host
      std::string("# lspci\n\n# lsmod\n"),            // headings
      "$ lspci; lsmod\n" + other + "$ date\n",        // two commands
      std::string("user@vm1:~$ lspci > list\nuser@vm1:~$ date\n"),
      std::string("user@vm1:~$ lspci 2>/dev/null\nuser@vm1:~$ date\n"),
      std::string("user@vm1:~$ lspci\n-bash: lspci: command not found\nuser@vm1:~$ date\n"),
      std::string("user@vm1:~$ lspci\npcilib: Cannot open /proc/bus/pci\nuser@vm1:~$ date\n"),
  };
  for (const auto& text : texts) {
    EXPECT_EQ(ticket_facts(azure + text), "kernel 6.8.0-1015-azure  ubuntu") << text;
  }
}

TEST(Ticket, DoesNotExpectManaOnAMachineOtherThanAVmOfHyperV) {
  EXPECT_FALSE(read_ticket("user@pc:~$ lspci\nuser@pc:~$ date\n").facts.functions);
}

TEST(Ticket, DoesNotTakeAddressesForTheListOfAllLinks) {
  for (const std::string command : {"ip -4 addr", "ip -6 a", "ip -br -4 a", "ip a"}) {
    EXPECT_EQ(read_ticket("user@vm1:~$ " + command + '\n' + kLinks + "user@vm1:~$ exit\n")
                  .knows_all_links,
              command == "ip a")
        << command;
  }
}

TEST(Ticket, DoesNotTakeAFilteredDriverForAMissingOne) {
  const std::string other = "c05b:00:00.0 Non-Volatile memory controller: Microsoft Device 00a9\n";
  for (const std::string command :
       {"$ lspci -k | grep Eth\n", "$ lspci\n", "", "$ lspci -k | grep -A1 Ethernet\n"}) {
    EXPECT_FALSE(read_ticket(command + kLspci + other + "$ date\n").knows_drivers) << command;
  }
  // The output ends before the line with the driver.
  EXPECT_FALSE(read_ticket("$ lspci -k\n" + std::string(kLspci)).knows_drivers);
}

TEST(Ticket, DoesNotTakeABuiltInModuleForAMissingOne) {
  const std::string lsmod = "user@vm1:~$ lsmod | grep mana\nuser@vm1:~$ lspci -k\n";
  EXPECT_EQ(ticket_facts(lsmod), "");
  EXPECT_EQ(ticket_facts(lsmod + kLspci + "\tKernel driver in use: mana\n"),
            "function 7870:00:00.0 1414:00ba driver 'mana'\nmodule mana built in");
}

TEST(Ticket, DoesNotKnowModulesThatAFilterDrops) {
  EXPECT_EQ(ticket_facts("user@vm1:~$ lsmod | grep -w mana\n"
                         "mana                  110592  0\n"
                         "user@vm1:~$ lsmod | grep -v mana\n"
                         "user@vm1:~$ exit\n"),
            "module mana loaded");
}

TEST(Ticket, KnowsOnlyThePatternsThatGrepKnows) {
  struct Case {
    const char* command;
    bool is_known;
  };

  for (const auto& one : {Case{"lsmod | grep 'mana\\|mlx'", true},
                          Case{"lsmod | grep -E 'mana|mlx'", true},
                          Case{"lsmod | egrep 'mana|mlx'", true},
                          Case{"lsmod | grep mana", true},
                          Case{"lsmod | grep 'mana|mlx'", false},
                          Case{"lsmod | grep mana\\|mlx", false},
                          Case{"lsmod | grep -E 'mana\\|mlx'", false},
                          Case{"lsmod | grep -n mana", false}}) {
    const auto text = fmt::format(
        "user@vm1:~$ {}\nuser@vm1:~$ lspci -k\n{}\tKernel driver in use: "
        "mana\n",
        one.command,
        kLspci);
    EXPECT_EQ(ticket_facts(text).find("built in") != std::string::npos, one.is_known)
        << one.command;
  }
}

// The module that a device needs cannot be built in if it depends on one that is not.
TEST(Ticket, TakesAnRdmaDeviceForTheProofOfItsModule) {
  const std::string lsmod = "user@vm1:~$ lsmod | grep mana\nmana                  110592  0\n";
  const std::string rdma =
      "user@vm1:~$ rdma link\nlink mana_0/1 state ACTIVE physical_state LINK_UP\n";
  EXPECT_EQ(ticket_facts(lsmod + "user@vm1:~$ sudo modprobe mana_ib\n" + rdma),
            "module mana loaded\nmodule mana_ib loaded\nrdma mana_0");
  EXPECT_EQ(ticket_facts(rdma + lsmod + rdma),
            "module mana loaded\nmodule mana_ib loaded\nrdma mana_0");
  EXPECT_EQ(ticket_facts(rdma + lsmod + "user@vm1:~$ exit\n"),
            "module mana loaded\nmodule mana_ib available\nrdma mana_0");
}

TEST(Ticket, FindsManaInEveryOutputThatShowsIt) {
  for (const std::string text :
       {"$ ethtool -i enP30832s1 | head -2\ndriver: mana\nversion: 6.8.0-1046-azure\n",
        "$ ethtool -S enP30832s1 | grep no_wqe\n     hc_rx_discards_no_wqe: 24110332\n",
        "$ ls /sys/class/infiniband; grep HugePages_F /proc/meminfo\nmana_0\n",
        "one@a:~$ ethtool -i enP30832s1\ndriver: mana\none@b:~$ uname -r\n6.8.0-1046-azure\n"}) {
    EXPECT_TRUE(read_ticket(text).has_mana) << text;
  }
  EXPECT_FALSE(read_ticket("$ ethtool -i eth0\ndriver: hv_netvsc\n").has_mana);
}

TEST(Ticket, FindsTheVfOfAnotherVendor) {
  for (const std::string text :
       {"$ ethtool -i enP54180s1\ndriver: mlx5_core\n",
        "$ lspci\nd3a4:00:02.0 Ethernet controller: Mellanox Technologies MT27800 Family "
        "[ConnectX-5 Virtual Function] (rev 80)\n"}) {
    EXPECT_TRUE(read_ticket(text).has_other_nic) << text;
  }
  EXPECT_FALSE(read_ticket("$ ethtool -i enP30832s1\ndriver: mana\n").has_other_nic);
}

TEST(Ticket, HasNoNotesAboutWhatItDoesNotRead) {
  std::string other = kLinks;
  other.replace(other.find("3: enP"), 1, "4");
  other.replace(other.find("enP30832p0s0"), 12, "enP30832p0s1");
  EXPECT_THAT(read_ticket(kLinks + other).unused, IsEmpty());
  EXPECT_THAT(read_ticket("[    0.0] Linux version 6.8.0-1015-azure (b@c) (gcc) #1 SMP\n"
                          "[    0.0] Linux version 6.8.0-1020-azure (b@c) (gcc) #1 SMP\n")
                  .unused,
              IsEmpty());
}

TEST(Ticket, PairsNoInterfacesOfABond) {
  EXPECT_EQ(ticket_facts("user@vm1:~$ ip -br link\n"
                         "bond0 UP 00:00:5e:00:53:01 <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP>\n"
                         "eth1  UP 00:00:5e:00:53:01 <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP>\n"
                         "user@vm1:~$ exit\n"),
            "");
}

TEST(Ticket, UsesNoLineThatWasJoinedFromSeveral) {
  std::string joined = kLinks;
  std::ranges::replace(joined, '\n', ' ');
  EXPECT_EQ(ticket_facts(joined + "\n"), "");
}

TEST(Ticket, DoesNotBelieveAnOldPackageIfADeviceIsUsable) {
  const std::string package = "ii  libibverbs1:amd64  39.0-1  amd64  Library for RDMA\n";
  EXPECT_EQ(ticket_facts(package), "rdma-core 39.0.0");
  EXPECT_EQ(ticket_facts(package + "hca_id:\tmana_0\n"), "module mana_ib loaded\nrdma mana_0");
}

// ---- limits -------------------------------------------------------------------------------------

TEST(Ticket, IgnoresALogWithVeryManyOutputs) {
  std::string text;
  for (std::uint64_t i = 0; i < TicketReader::kMaxLines; ++i)
    text += "$ uname -r\n6.8.0-45-azure\n";
  EXPECT_EQ(ticket_facts(text), "kernel 6.8.0-45-azure  ubuntu");
  const auto ticket = read_ticket(text + "$ uname -r\n6.8.0-45-azure\n");
  EXPECT_THAT(ticket.outputs, IsEmpty());
  EXPECT_THAT(ticket.unused, ElementsAre(HasSubstr("more than 4000")));
}

}  // namespace
}  // namespace manactl::host::ticket_test
