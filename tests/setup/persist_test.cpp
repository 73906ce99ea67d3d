// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "os/memory_files.h"
#include "setup/persistent_files.h"

namespace manactl::setup::persist_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

Result<std::vector<PersistentFile>> files_of(Request request,
                                             Entry entry,
                                             const std::string& program,
                                             const os::Files& files) {
  request.boot_program = program;
  if (request.interface) entry.interface = request.interface->str();
  return persistent_files(request, entry, files);
}

class Persist : public ::testing::Test {
 protected:
  Persist() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-persist-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }

  ~Persist() override { std::filesystem::remove_all(root_); }

  std::vector<PersistentFile> files_for(const std::string& interface) const {
    Request request;
    request.interface = *InterfaceName::parse(interface);
    request.mtu = 4000;
    request.hugepages = hugepages_;
    Entry entry;
    entry.nic = nic_;
    StepRecord step;
    step.kind = StepKind::reserve_hugepages;
    step.parameters = {{"pool", "sys/p"}, {"pages", "10"}};
    step.before = {{"pages", "5"}};
    entry.steps.push_back(std::move(step));
    os::MemoryFiles files;
    files.add_directory("etc/NetworkManager");
    return *files_of(request, entry, program_, files);
  }

  static NicIdentity nic() {
    NicIdentity nic;
    nic.interface = "eth1";
    nic.channel = *VmbusId::parse("000d3a76-3bd1-000d-3a76-3bd1000d3a76");
    nic.vf = "enP30832p0s0d1";
    nic.mac = *MacAddress::parse("00:0d:3a:76:3b:d1");
    nic.driver = "mana";
    nic.pci = *PciAddress::parse("7870:00:00.0");
    return nic;
  }

  std::string root_;
  std::string program_ = "/usr/bin/manactl";
  std::optional<HugepageRequest> hugepages_;
  NicIdentity nic_ = nic();
};

// Returns the exit status of a shell command and its output on stdout and stderr.
std::pair<int, std::string> output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "re");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const auto got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  return {pclose(pipe), text};
}

TEST_F(Persist, WritesAndRemovesOnlyFilesOfManactl) {
  const Persistence persistence(root_);
  ASSERT_TRUE(persistence.write(files_for("eth1")));
  ASSERT_TRUE(persistence.write(files_for("eth10")));
  const std::string other_file = root_ + "/etc/systemd/system/manactl-other.service";
  std::ofstream(other_file) << "[Unit]\n";
  EXPECT_THAT(persistence.list(""), SizeIs(10));
  EXPECT_THAT(*persistence.remove("eth1"), SizeIs(5));
  EXPECT_THAT(persistence.list(""), SizeIs(5));
  EXPECT_TRUE(std::filesystem::exists(other_file));
  EXPECT_THAT(*persistence.remove("eth1"), SizeIs(0));
}

// systemd-tmpfiles uses only the first line for a path, in the order of the names of the files.
TEST_F(Persist, ReservesThePagesOfAllNicsInOneLine) {
  const Persistence persistence(root_);
  const auto lines = [&] {
    std::vector<std::string> found;
    for (const char* name : {"eth0", "eth1"}) {
      std::ifstream in(root_ + "/etc/tmpfiles.d/manactl-" + name + ".conf");
      for (std::string line; std::getline(in, line);) {
        if (line.starts_with("w ")) found.push_back(fmt::format("{}: {}", name, line));
      }
    }
    return found;
  };
  ASSERT_TRUE(persistence.write(files_for("eth1")));
  EXPECT_THAT(lines(), ElementsAre("eth1: w /sys/p/nr_hugepages - - - - 15"));
  ASSERT_TRUE(persistence.write(files_for("eth0")));
  EXPECT_THAT(lines(), ElementsAre("eth0: w /sys/p/nr_hugepages - - - - 25"));
  ASSERT_TRUE(persistence.remove("eth0"));
  EXPECT_THAT(lines(), ElementsAre("eth1: w /sys/p/nr_hugepages - - - - 15"));
}

TEST_F(Persist, DoesNotOverwriteOtherFiles) {
  const auto files = files_for("eth1");
  std::filesystem::create_directories(root_ + files.back().directory);
  std::ofstream(root_ + files.back().path()) << "mine\n";
  const Persistence persistence(root_);
  EXPECT_FALSE(persistence.write(files));
  EXPECT_THAT(persistence.list(""), SizeIs(0)) << "all files or none";
}

TEST_F(Persist, RepeatsTheCommandInTheUnit) {
  const auto files = files_for("eth1");
  EXPECT_THAT(files.at(0).text, HasSubstr("w /sys/p/nr_hugepages - - - - 15\n"));
  EXPECT_THAT(files.at(1).text,
              HasSubstr("ExecStart=/usr/bin/flock /run/manactl/at-boot "
                        "/usr/bin/manactl prepare eth1 --hugepages none --mtu 4000\n"));
}

// tmpfiles reserves what prepare reserved; the unit adds what is missing at that boot.
TEST_F(Persist, LetsTheUnitReserveMissingPagesByDefault) {
  hugepages_ = HugepageRequest{};
  hugepages_->is_default = true;
  EXPECT_THAT(files_for("eth1").at(1).text, HasSubstr(" prepare eth1 --mtu 4000\n"));
  hugepages_->page_kib = 1048576;
  hugepages_->node = 1;
  EXPECT_THAT(files_for("eth1").at(1).text,
              HasSubstr(" prepare eth1 --hugepage-size 1G --node 1 --mtu 4000\n"));
  hugepages_->page_kib = 524288;
  EXPECT_THAT(files_for("eth1").at(1).text, HasSubstr(" --hugepage-size 512M --node 1 "));
  hugepages_->program = "ovs";
  EXPECT_THAT(files_for("eth1").at(1).text, HasSubstr(" --node 1 --for ovs "));
  hugepages_->is_default = false;
  EXPECT_THAT(files_for("eth1").at(1).text, HasSubstr(" --hugepages none --mtu "));
}

// On Azure, an interface and its VF share one address, and the administrator's VF has the same
// driver.
TEST_F(Persist, NamesOneDeviceInEachRule) {
  const auto files = files_for("eth1");
  EXPECT_THAT(
      files.at(3).text,
      EndsWith("[Match]\nDriver=mana\nMACAddress=00:0d:3a:76:3b:d1\n\n[Link]\nUnmanaged=yes\n"));
  EXPECT_THAT(files.at(4).text,
              EndsWith("[device-manactl-eth1]\n"
                       "match-device=mac:00:0d:3a:76:3b:d1,except:driver:hv_netvsc\nmanaged=0\n"));
}

TEST_F(Persist, StartsTheUnitOnlyForTheSameDevice) {
  const std::string device = "/sys/bus/vmbus/devices/000d3a76-3bd1-000d-3a76-3bd1000d3a76";
  EXPECT_THAT(files_for("eth1").at(1).text,
              HasSubstr("\nAssertPathExists=|" + device + "/net/eth1\nAssertPathExists=|" + device +
                        "/uio\n"));
  nic_.channel.reset();
  nic_.interface.clear();
  nic_.vf = "eth2";
  EXPECT_THAT(files_for("eth2").at(1).text,
              HasSubstr("\nAssertPathExists=/sys/bus/pci/devices/7870:00:00.0/net/eth2\n"));
  EXPECT_THAT(files_for("altname").at(1).text, Not(HasSubstr("Assert")));
}

TEST_F(Persist, WritesNoRuleWithoutAnAddress) {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  Entry entry;
  entry.nic = nic_;
  entry.nic.mac.reset();
  const os::MemoryFiles files;
  const auto failed = files_of(request, entry, program_, files);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("would apply to every MANA interface"));
}

// Requires systemd-analyze of the package systemd.
TEST_F(Persist, WritesUnitsThatSystemdAccepts) {
  program_ = "/bin/true";  // systemd rejects a program that does not exist
  ASSERT_TRUE(Persistence(root_).write(files_for("eth1")));
  const std::string units = root_ + "/etc/systemd/system";
  const auto verify = [&](const std::string& unit) {
    return output_of("SYSTEMD_UNIT_PATH=" + units + ": systemd-analyze verify --man=no " + unit);
  };
  const auto [status, text] = verify(units + "/manactl-prepare-eth1.service");
  EXPECT_EQ(status, 0) << text;
  EXPECT_THAT(text, Not(HasSubstr("manactl-"))) << "systemd reports a fault";
  // Verify the real target of this machine with the drop-in. Other units of the machine may have
  // faults.
  EXPECT_THAT(verify("multi-user.target").second, Not(HasSubstr("manactl-")));

  std::ofstream(units + "/multi-user.target.d/manactl-wrong.conf") << "[Unit]\nWant=x\n";
  EXPECT_THAT(verify("multi-user.target").second, HasSubstr("manactl-wrong.conf"))
      << "systemd-analyze does not report a wrong key";
}

// The unit can be started only in the virtual VM (azure.boot-networkmanager), so this test analyzes
// its text. The threshold is an exposure of 3.0; systemd-analyze takes ten times this number.
TEST_F(Persist, RunsTheUnitInASandbox) {
  const auto analyze = [&](const std::string& unit) {
    std::ofstream(root_ + "/test.service") << unit;
    return output_of("systemd-analyze security --no-pager --offline=true --threshold=30 " + root_ +
                     "/test.service");
  };
  const auto unit = files_for("eth1").at(1).text;
  const auto [status, text] = analyze(unit);
  EXPECT_EQ(status, 0) << text;
  std::cout << text.substr(text.find("Overall"));
  const auto without = unit.find("CapabilityBoundingSet=");
  EXPECT_NE(analyze(unit.substr(0, without)).first, 0) << "systemd-analyze accepts every unit";
}

TEST_F(Persist, RejectsNamesThatAUnitWouldInterpret) {
  Request request;
  os::MemoryFiles files;
  Entry entry;
  entry.nic = nic_;
  const auto error = [&](const std::string& name, const std::string& program) -> std::string {
    request.interface = *InterfaceName::parse(name);
    const auto made = files_of(request, entry, program, files);
    return made ? "" : made.error().message;
  };
  for (const char* name : {"azAZ09", "a_b-c.d"}) {
    EXPECT_EQ(error(name, program_), "");
    EXPECT_EQ(error("eth1", "/a b/" + std::string(name)).empty(), false);
    EXPECT_EQ(error("eth1", "/bin/" + std::string(name)), "");
  }
  for (const char* name : {".a", "a%b", "a$b", "a@b", "a`b", "a{b", "a[b", "a^b", "a,b", "a;b"}) {
    EXPECT_EQ(error(name, program_),
              fmt::format("'{}' cannot be part of the name of a systemd unit", name));
    EXPECT_EQ(error("eth1", "/bin/" + std::string(name)),
              "a systemd unit cannot contain the path of manactl");
  }
  for (const char* program : {"bin/manactl", "/bin/-m", "/a%b/manactl", "/bin/", "/a\"b/manactl"}) {
    EXPECT_EQ(error("eth1", program), "a systemd unit cannot contain the path of manactl")
        << program;
  }
}

TEST_F(Persist, PassesEveryOptionToTheCommand) {
  const auto command = [&](const Request& request) {
    Entry entry;
    entry.nic = nic_;
    const auto text = files_of(request, entry, program_, os::MemoryFiles()).value().at(0).text;
    const std::string before = "ExecStart=/usr/bin/flock /run/manactl/at-boot /usr/bin/manactl ";
    const auto begin = text.find(before) + before.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  EXPECT_EQ(command(request), "prepare eth1 --hugepages none");
  request.vf_only = true;
  EXPECT_EQ(command(request), "prepare eth1 --hugepages none --vf-only");
  request.vf_only = false;
  request.method = Method::driver_override;
  EXPECT_EQ(command(request), "prepare eth1 --hugepages none --method driver-override");
  request.method = Method::new_id;
  request.force_interface = "eth1";
  EXPECT_EQ(command(request), "prepare eth1 --hugepages none --method new-id")
      << "at boot, the guard decides";
}

TEST_F(Persist, WritesOnlyTheFilesThatAreNeeded) {
  Request request;
  Entry entry;
  const auto count = [&] {
    return files_of(request, entry, program_, os::MemoryFiles()).value().size();
  };
  EXPECT_EQ(count(), 0U);
  StepRecord step;
  step.kind = StepKind::reserve_hugepages;
  step.parameters = {{"pool", "sys/p"}, {"pages", "10"}};
  entry.steps = {{}, step};
  const auto pages = files_of(request, entry, program_, os::MemoryFiles());
  ASSERT_TRUE(pages && pages->size() == 1);
  EXPECT_EQ(pages->at(0).path(), "/etc/tmpfiles.d/manactl-hugepages.conf");
  EXPECT_THAT(pages->at(0).text, EndsWith("\nw /sys/p/nr_hugepages - - - - 10\n"));
  request.interface = *InterfaceName::parse("eth1");
  entry.nic = nic_;
  EXPECT_EQ(count(), 4U) << "without NetworkManager";
}

TEST_F(Persist, AssertsOnlyWhatIdentifiesTheDevice) {
  const auto asserts = [&](const std::string& name) {
    const auto text = files_for(name).at(1).text;
    return text.find("Assert") != std::string::npos;
  };
  EXPECT_TRUE(asserts("eth1"));
  EXPECT_TRUE(asserts(nic_.vf));
  EXPECT_FALSE(asserts("altname"));
  nic_.channel.reset();
  EXPECT_FALSE(asserts("eth1"));
  nic_.pci.reset();
  EXPECT_FALSE(asserts(nic_.vf));
}

TEST_F(Persist, RemovesWhatItWroteIfAFileCannotBeWritten) {
  auto files = files_for("eth1");
  const Persistence persistence(root_);
  ASSERT_TRUE(persistence.write({files[0]}));
  const auto directory = root_ + files[2].directory;
  std::filesystem::create_directories(directory);
  std::filesystem::permissions(directory, std::filesystem::perms::all);
  EXPECT_FALSE(persistence.write(files));
  EXPECT_THAT(persistence.list("eth1"), ::testing::ElementsAre(files[0].path()))
      << "a file that existed before stays";
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  EXPECT_TRUE(persistence.write(files));
  std::filesystem::permissions(directory, std::filesystem::perms::all);
  EXPECT_THAT(persistence.list("eth1"), SizeIs(4)) << "a directory that others may write to";
  std::ofstream(root_ + files[1].directory + "/other.service") << files[1].text;
  EXPECT_THAT(persistence.list("eth1"), SizeIs(4)) << "a name that manactl does not use";
}

}  // namespace
}  // namespace manactl::setup::persist_test
