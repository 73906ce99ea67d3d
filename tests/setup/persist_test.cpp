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
    entry.nic.mac = *MacAddress::parse("00:0d:3a:76:3b:d1");
    StepRecord step;
    step.kind = StepKind::reserve_hugepages;
    step.parameters = {{"pool", "sys/p"}, {"pages", "10"}};
    step.before = {{"pages", "5"}};
    entry.steps.push_back(std::move(step));
    os::MemoryFiles files;
    files.add_directory("etc/NetworkManager");
    return *persistent_files(request, entry, program_, files);
  }

  std::string root_;
  std::string program_ = "/usr/bin/manactl";
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
  EXPECT_THAT(*persistence.list(""), SizeIs(10));
  EXPECT_THAT(*persistence.remove("eth1"), SizeIs(5));
  EXPECT_THAT(*persistence.list(""), SizeIs(5));
  EXPECT_TRUE(std::filesystem::exists(other_file));
  EXPECT_THAT(*persistence.remove("eth1"), SizeIs(0));
}

TEST_F(Persist, DoesNotOverwriteOtherFiles) {
  const auto files = files_for("eth1");
  std::filesystem::create_directories(root_ + files.back().directory);
  std::ofstream(root_ + files.back().path()) << "mine\n";
  const Persistence persistence(root_);
  EXPECT_FALSE(persistence.write(files));
  EXPECT_THAT(*persistence.list(""), SizeIs(0)) << "all files or none";
}

TEST_F(Persist, RepeatsTheCommandInTheUnit) {
  const auto files = files_for("eth1");
  EXPECT_THAT(files.at(0).text, HasSubstr("w /sys/p/nr_hugepages - - - - 15\n"));
  EXPECT_THAT(files.at(1).text, HasSubstr("ExecStart=/usr/bin/manactl prepare eth1 --mtu 4000\n"));
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

TEST_F(Persist, RejectsNamesThatAUnitWouldInterpret) {
  Request request;
  os::MemoryFiles files;
  for (const char* name : {"a%b", "a$b", "a@b"}) {
    request.interface = *InterfaceName::parse(name);
    EXPECT_FALSE(persistent_files(request, {}, "/usr/bin/manactl", files)) << name;
  }
}

}  // namespace
}  // namespace manactl::setup
