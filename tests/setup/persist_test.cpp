// SPDX-License-Identifier: MIT

#include "setup/persist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "os/memory_files.h"

namespace manactl::setup {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

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
    Entry entry;
    entry.nic["mac"] = "00:0d:3a:76:3b:d1";
    entry.steps.push_back(
        {"hugepages", {{"pool", "sys/p"}, {"pages", "10"}}, "", {{"pages", "5"}}, {}, {}});
    os::MemoryFiles files;
    files.add_directory("etc/NetworkManager");
    return *persistent_files(request, entry, program_, files);
  }

  std::string root_;
  std::string program_ = "/usr/bin/manactl";
};

// What a command of the shell prints on both of its streams, and its status.
std::pair<int, std::string> output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "re");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const auto got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  return {pclose(pipe), text};
}

TEST_F(Persist, WritesAndRemovesExactlyItsOwn) {
  const Persistence persistence(root_);
  ASSERT_TRUE(persistence.write(files_for("eth1")));
  ASSERT_TRUE(persistence.write(files_for("eth10")));
  const std::string foreign = root_ + "/etc/systemd/system/manactl-other.service";
  std::ofstream(foreign) << "[Unit]\n";
  EXPECT_THAT(*persistence.list(""), SizeIs(10));
  EXPECT_THAT(*persistence.remove("eth1"), SizeIs(5));
  EXPECT_THAT(*persistence.list(""), SizeIs(5));
  EXPECT_TRUE(std::filesystem::exists(foreign));
  EXPECT_THAT(*persistence.remove("eth1"), SizeIs(0));
}

TEST_F(Persist, OverwritesNobodysFile) {
  const auto files = files_for("eth1");
  std::filesystem::create_directories(root_ + files.back().directory);
  std::ofstream(root_ + files.back().path()) << "mine\n";
  const Persistence persistence(root_);
  EXPECT_FALSE(persistence.write(files));
  EXPECT_THAT(*persistence.list(""), SizeIs(0)) << "none, when not all";
}

TEST_F(Persist, RepeatsTheCommandInTheUnit) {
  const auto files = files_for("eth1");
  EXPECT_THAT(files.at(0).text, HasSubstr("w /sys/p/nr_hugepages - - - - 15\n"));
  EXPECT_THAT(files.at(1).text, HasSubstr("ExecStart=/usr/bin/manactl prepare eth1 --mtu 4000\n"));
}

// The one judge of units is systemd itself, of the package systemd.
TEST_F(Persist, WritesUnitsInWhichSystemdFindsNoFault) {
  program_ = "/bin/true";  // a command that is not there would be a fault
  ASSERT_TRUE(Persistence(root_).write(files_for("eth1")));
  const std::string units = root_ + "/etc/systemd/system";
  const auto verify = [&](const std::string& unit) {
    return output_of("SYSTEMD_UNIT_PATH=" + units + ": systemd-analyze verify --man=no " + unit);
  };
  const auto [status, text] = verify(units + "/manactl-prepare-eth1.service");
  EXPECT_EQ(status, 0) << text;
  EXPECT_THAT(text, Not(HasSubstr("manactl-"))) << "what systemd complains of";
  // The target of this machine, with what is added to it; other units may have faults.
  EXPECT_THAT(verify("multi-user.target").second, Not(HasSubstr("manactl-")));

  std::ofstream(units + "/multi-user.target.d/manactl-wrong.conf") << "[Unit]\nWant=x\n";
  EXPECT_THAT(verify("multi-user.target").second, HasSubstr("manactl-wrong.conf"))
      << "systemd-analyze has to complain of what is wrong";
}

TEST_F(Persist, RefusesNamesThatAUnitWouldReadOtherwise) {
  Request request;
  os::MemoryFiles files;
  for (const char* name : {"a%b", "a$b", "a@b"}) {
    request.interface = *InterfaceName::parse(name);
    EXPECT_FALSE(persistent_files(request, {}, "/usr/bin/manactl", files)) << name;
  }
}

}  // namespace
}  // namespace manactl::setup
