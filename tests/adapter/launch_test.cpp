// SPDX-License-Identifier: MIT

#include "adapter/launch/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "adapter/launch/sysfs_tree.h"
#include "base/descriptor.h"

namespace manactl::adapter::launch_test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::string line_of(const fs::path& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

// A directory that only this user may write to, below /tmp, which is world-writable and sticky.
class LibraryTrust : public testing::Test {
 protected:
  LibraryTrust() {
    std::string pattern = "/tmp/manactl-test-XXXXXX";
    root = mkdtemp(pattern.data());
    fs::create_directories(root / "bin");
    library = add_library(root / "bin" / kInstalledLibrary);
  }

  ~LibraryTrust() override { fs::remove_all(root); }

  static fs::path add_library(const fs::path& place) {
    auto file = place.lexically_normal();
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "x";
    chmod(file.c_str(), 0644);
    return file;
  }

  fs::path root, library;
};

TEST_F(LibraryTrust, FindsTheInstalledLibrary) {
  EXPECT_EQ(find_library(root / "bin/manactl").value(), library.string());
}

TEST_F(LibraryTrust, FindsTheLibraryInTheLibdirOfTheInstallation) {
  const std::string relative = "../lib/x86_64-linux-gnu/manactl/libmanactl-sim.so";
  const auto multiarch = add_library(root / "bin" / relative);
  EXPECT_EQ(find_library(root / "bin/manactl", relative).value(), multiarch.string());
}

TEST_F(LibraryTrust, FindsTheInstalledLibraryBelowAPrefixNamedSrc) {
  const auto installed = add_library(root / "src/bin" / kInstalledLibrary);
  EXPECT_EQ(find_library(root / "src/bin/manactl").value(), installed.string());
}

TEST_F(LibraryTrust, FindsTheLibraryOfABuildTree) {
  const auto built = add_library(root / "lib/manactl/libmanactl-sim.so");
  EXPECT_EQ(find_library(root / "src/cli/manactl").value(), built.string());
}

TEST_F(LibraryTrust, FailsIfThereIsNoLibrary) {
  const auto found = find_library(root / "bin/deep/manactl");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::unsupported);
  EXPECT_EQ(found.error().message,
            fmt::format("the software adapter '{}' is missing: install the package manactl-sim, or "
                        "keep the folders bin and lib of the archive together",
                        (root / "bin/lib/manactl/libmanactl-sim.so").string()));
}

TEST_F(LibraryTrust, RejectsALibraryThatOthersMayWrite) {
  chmod(library.c_str(), 0664);
  EXPECT_EQ(find_library(root / "bin/manactl").error().code, Errc::denied);
  chmod(library.c_str(), 0646);
  EXPECT_EQ(find_library(root / "bin/manactl").error().code, Errc::denied);
}

TEST_F(LibraryTrust, RejectsAFolderThatOthersMayWrite) {
  const auto folder = library.parent_path();
  chmod(folder.c_str(), 0777);
  const auto found = find_library(root / "bin/manactl");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::denied);
  EXPECT_THAT(found.error().message, HasSubstr(fmt::format("'{}'", folder.string())));
}

TEST_F(LibraryTrust, RejectsALinkToALibrary) {
  fs::rename(library, root / "other.so");
  fs::create_symlink(root / "other.so", library);
  EXPECT_EQ(find_library(root / "bin/manactl").error().code, Errc::denied);
}

TEST(SysfsTree, HasTheFilesThatDriversRead) {
  const auto config = Config::parse("ports=2").value();
  std::string root;
  {
    const auto tree = SysfsTree::make(config).value();
    root = tree.root();
    const auto device = fs::path(tree.pci_devices()) / kSlot;
    EXPECT_EQ(line_of(device / "vendor"), "0x1414");
    EXPECT_EQ(line_of(device / "device"), "0x00ba");
    EXPECT_EQ(fs::canonical(device / "driver"),
              fs::canonical(fs::path(root) / "bus/pci/drivers/mana"));
    const auto rdma = fs::path(root) / "class/infiniband/mana_0/device";
    EXPECT_EQ(line_of(rdma / "net/sim1/address"), "00:0d:3a:76:3b:d1");
    EXPECT_EQ(line_of(rdma / "net/sim1/dev_port"), "1");
    std::ifstream uevent(rdma / "uevent");
    std::string first, second;
    std::getline(uevent, first);
    std::getline(uevent, second);
    EXPECT_EQ(second, "PCI_SLOT_NAME=7870:00:00.0");
    EXPECT_EQ(fs::status(root).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(root));
}

TEST(SysfsTree, NamesTheFolderThatCannotBeUsed) {
  const auto tree = SysfsTree::make(Config{}, "/proc/nowhere");
  ASSERT_FALSE(tree);
  EXPECT_THAT(tree.error().message, HasSubstr("/proc/nowhere"));
}

Result<Outcome> run(std::vector<std::string> command, const std::string& settings = {}) {
  return launch({"", settings, std::move(command), false, {}});
}

// Resets the signals that launch() forwards: the caller of the tests may ignore them, as nohup(1)
// does, and a shell cannot trap a signal that it inherits as ignored.
class Launch : public testing::Test {
 protected:
  Launch() {
    for (const int signal : kSignals) earlier.push_back(std::signal(signal, SIG_DFL));
  }

  ~Launch() override {
    for (std::size_t i = 0; i < earlier.size(); ++i) std::signal(kSignals[i], earlier[i]);
  }

  static constexpr std::array kSignals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::vector<void (*)(int)> earlier;
};

TEST_F(Launch, ReturnsTheExitStatusOfTheProgram) {
  EXPECT_EQ(run({"true"})->status, 0);
  EXPECT_EQ(run({"sh", "-c", "exit 7"})->status, 7);
  const auto killed = run({"sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(killed->status, 128 + SIGTERM);
  EXPECT_EQ(killed->signal, SIGTERM);
}

TEST_F(Launch, NamesTheCommandThatCannotBeStarted) {
  EXPECT_EQ(run({"/nonexistent"}).error().code, Errc::invalid);
  EXPECT_THAT(run({"/nonexistent"}).error().message, HasSubstr("cannot run '/nonexistent'"));
  EXPECT_EQ(run({"true"}, "ports=0").error().code, Errc::invalid);
}

TEST_F(Launch, ProvidesTheSysfsTreeWhileTheProgramRuns) {
  EXPECT_EQ(run({"sh", "-c", "test -e \"$SYSFS_PCI_DEVICES/7870:00:00.0/vendor\""})->status, 0);
  EXPECT_EQ(
      run({"sh", "-c", "case $MANACTL_SIM_SETUP in ports=2*counters=*) exit 5; esac"}, "ports=2")
          ->status,
      5);
}

TEST(SharedCounters, KeepTheirSizeWhateverTheProgramDoes) {
  const auto counters = SharedCounters::make();
  ASSERT_TRUE(counters.has_value());
  for (const off_t size : {0, 1 << 20}) {
    EXPECT_EQ(ftruncate(counters->fd(), size), -1);
    EXPECT_EQ(errno, EPERM);
  }
  (**counters).ports = 1;
  EXPECT_EQ((**counters).ports, 1U);
}

TEST_F(Launch, StartsNoProgramWithMoreRights) {
  const auto outcome = run({"sh", "-c", "grep -q '^NoNewPrivs:.*1$' /proc/self/status"});
  EXPECT_EQ(outcome->status, 0);
}

TEST_F(Launch, PassesOnlyTheDescriptorsOfTheAdapter) {
  const Descriptor other(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto script = fmt::format("! test -e /proc/self/fd/{}", other.get());
  EXPECT_EQ(run({"sh", "-c", script})->status, 0);
}

TEST_F(Launch, ForwardsASignal) {
  // The program sets a shell trap and then signals the launcher, which forwards the signal.
  const auto outcome = run({"sh",
                            "-c",
                            "trap 'exit 9' HUP; kill -HUP $PPID\n"
                            "for i in $(seq 2000); do sleep 0.01; done; exit 8"});
  EXPECT_EQ(outcome->status, 9);
}

}  // namespace
}  // namespace manactl::adapter::launch_test
