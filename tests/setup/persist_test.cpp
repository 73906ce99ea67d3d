// SPDX-License-Identifier: MIT

#include "setup/persist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "os/memory_files.h"

namespace manactl::setup {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Persist : public ::testing::Test {
 protected:
  Persist() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-persist-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }

  ~Persist() override { std::filesystem::remove_all(root_); }

  static std::vector<PersistentFile> files_for(const std::string& interface) {
    Request request;
    request.interface = *InterfaceName::parse(interface);
    request.mtu = 4000;
    Entry entry;
    entry.nic["mac"] = "00:0d:3a:76:3b:d1";
    entry.steps.push_back(
        {"hugepages", {{"pool", "sys/p"}, {"pages", "10"}}, "", {{"pages", "5"}}, {}, {}});
    os::MemoryFiles files;
    files.add_directory("etc/NetworkManager");
    return *persistent_files(request, entry, "/usr/bin/manactl", files);
  }

  std::string root_;
};

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
