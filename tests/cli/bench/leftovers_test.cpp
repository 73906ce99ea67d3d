// SPDX-License-Identifier: MIT
//
// Tests that bench leaves no process, file, hugepage or device behind, however it ends.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <set>
#include <sstream>
#include <thread>

#include "datapath/cable.h"
#include "datapath/engines.h"
#include "datapath/in_child.h"

namespace manactl::test::leftovers_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::multiset<std::string>;

constexpr const char* kMark = "MANACTL_TEST_LEFTOVERS";
constexpr int kParent = -1;  // not a signal number: the test kills the parent process of bench

struct Device {
  const char* name;
  std::vector<std::string> words;
  bool dpdk = true;
  bool hugepages = false;
};

void PrintTo(const Device& device, std::ostream* out) {
  *out << device.name;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Processes whose environment contains the mark, and the directories that the software adapter
// created for them (the text after "root=" in the environment).
struct Started {
  std::vector<std::string> processes;
  std::set<std::string> trees;
};

Started started(const std::string& mark) {
  Started found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const auto environment = text_of(entry.path() / "environ");
    if (environment.find(mark) == std::string::npos) continue;
    found.processes.push_back(entry.path().filename());
    const auto root = environment.find(" root=");
    if (root == std::string::npos) continue;
    const auto begin = root + 6;
    found.trees.insert(
        environment.substr(begin, environment.find_first_of(std::string(" \0", 2), begin) - begin));
  }
  return found;
}

// Returns what bench may leave behind: files, sockets, network devices and used hugepages.
Lines traces(const Device& device) {
  Lines lines;
  for (const auto* where : {"/run", "/dev/shm"}) {
    for (const auto& entry : fs::recursive_directory_iterator(where)) lines.insert(entry.path());
  }
  for (const auto* table : {"/proc/thread-self/net/dev", "/proc/thread-self/net/packet"}) {
    std::istringstream text(text_of(table));
    for (std::string line; std::getline(text, line);) lines.insert(line.substr(0, line.find(':')));
  }
  if (!device.hugepages) return lines;
  std::istringstream memory(text_of("/proc/meminfo"));
  for (std::string line; std::getline(memory, line);) {
    if (line.starts_with("HugePages_Free")) lines.insert(line);
  }
  return lines;
}

// Mounts private directories, and a hugetlbfs that shows hugepages as files.
void mount_private_directories() {
  ASSERT_EQ(unshare(CLONE_NEWNS), 0) << "mount namespaces need root";
  ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  for (const auto* where : {"/run", "/dev/shm"}) {
    ASSERT_EQ(mount("tmpfs", where, "tmpfs", 0, nullptr), 0);
  }
  ASSERT_EQ(mkdir("/run/memif", 0700), 0);
  ASSERT_EQ(mkdir("/run/huge", 0700), 0);
  // The mount fails on a kernel without hugepages.
  static_cast<void>(mount("hugetlbfs", "/run/huge", "hugetlbfs", 0, nullptr));
}

[[noreturn]] void become_bench(const Device& device, const std::string& mark, int out) {
  std::vector<std::string> words = {MANACTL_PROGRAM,
                                    "bench",
                                    "--duration",
                                    "100",
                                    "--interval",
                                    "50ms",
                                    "--no-save",
                                    "--output",
                                    "ndjson"};
  words.insert(words.end(), device.words.begin(), device.words.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto variable = mark;
  char* environment[] = {variable.data(), nullptr};
  dup2(out, 1);
  execve(argv[0], argv.data(), environment);
  _exit(127);
}

// Starts the program as a child or, if `in_between`, as a grandchild whose parent only waits.
pid_t start(const Device& device, const std::string& mark, int out, bool in_between) {
  const auto child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  if (in_between && fork() != 0) {
    close(out);
    for (;;) pause();
  }
  become_bench(device, mark, out);
}

// Waits until packets flow. Returns false if the program ends before that.
bool flows(int out) {
  std::string seen;
  std::string block(4096, '\0');
  while (seen.find("\"interval\"") == std::string::npos) {
    const auto got = read(out, block.data(), block.size());
    if (got <= 0) return false;
    seen.append(block, 0, static_cast<std::size_t>(got));
  }
  return true;
}

void end_and_look(const Device& device, int ending) {
  mount_private_directories();
  datapath::make_cable();
  const auto before = traces(device);
  const auto mark = std::string(kMark) + "=" + std::to_string(getpid());
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const auto child = start(device, mark, ends[1], ending == kParent);
  close(ends[1]);
  ASSERT_TRUE(flows(ends[0])) << "no packets on " << device.name;
  const auto running = started(mark);
  EXPECT_FALSE(running.processes.empty());
  EXPECT_EQ(running.trees.empty(), device.dpdk);
  EXPECT_EQ(kill(child, ending == kParent ? SIGKILL : ending), 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (ending == kParent || ending == SIGKILL) {
    EXPECT_TRUE(WIFSIGNALED(status));
  } else {
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 128 + ending);
  }
  std::string rest(4096, '\0');
  while (read(ends[0], rest.data(), rest.size()) > 0)
    continue;  // read until all writers have closed the pipe
  close(ends[0]);
  const auto clean = [&] {
    const auto& trees = running.trees;
    return started(mark).processes.empty() && traces(device) == before &&
           std::none_of(
               trees.begin(), trees.end(), [](const auto& tree) { return fs::exists(tree); });
  };
  // Wait, because the kernel frees the resources of a process after the process has exited.
  for (int i = 0; i < 300 && !clean(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(started(mark).processes.empty());
  EXPECT_EQ(traces(device), before);
  for (const auto& tree : running.trees) EXPECT_FALSE(fs::exists(tree)) << tree;
}

class BenchCleanup : public testing::TestWithParam<std::tuple<Device, int>> {};

TEST_P(BenchCleanup, LeavesNothingBehind) {
  const auto& device = std::get<Device>(GetParam());
  const int ending = std::get<int>(GetParam());
  if (!device.dpdk && !MANACTL_WITH_SIM) GTEST_SKIP() << "a sanitizer must be loaded first";
  // Tests that reserve hugepages hold the same lock, so they do not run at the same time.
  const int lock = open("/proc/sys/vm/nr_hugepages", O_RDONLY | O_CLOEXEC);
  if (lock >= 0) flock(lock, LOCK_EX);
  EXPECT_TRUE(datapath::in_child([&device, ending] { end_and_look(device, ending); }));
  if (lock >= 0) close(lock);
}

// The first device uses hugepages if some are free.
const Device kDevices[] = {
    {"Hugepages", {"--vdev", "net_null0"}, true, true},
    {"Null", {"--vdev", "net_null0", "--no-huge"}},
    {"AfPacket", {"--vdev", "net_af_packet0,iface=sender", "--no-huge"}},
    {"Tap", {"--vdev", "net_tap0", "--no-huge"}},
    {"Memif",
     {"--vdev",
      "net_memif0,role=server,socket-abstract=no,socket=/run/memif/socket",
      "--mode",
      "rx",
      "--no-huge"}},
    {"Sim", {"--sim"}, false},
};

std::string ending_of(int ending) {
  return ending == kParent ? "ParentKilled" : sigabbrev_np(ending);
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    BenchCleanup,
    testing::Combine(testing::ValuesIn(kDevices),
                     testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL, kParent)),
    [](const auto& one) {
      return std::get<0>(one.param).name + ending_of(std::get<1>(one.param));
    });

// Under nohup, bench continues when its parent process ends.
TEST(BenchUnderNohup, KeepsRunning) {
  if (datapath::kDpdkEngine.info().version.empty()) GTEST_SKIP() << "this build has no DPDK";
  EXPECT_TRUE(datapath::in_child([] {
    signal(SIGHUP, SIG_IGN);
    const auto mark = std::string(kMark) + "=" + std::to_string(getpid());
    int ends[2] = {-1, -1};
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const auto child = start({"Null", {"--vdev", "net_null0", "--no-huge"}}, mark, ends[1], true);
    close(ends[1]);
    ASSERT_TRUE(flows(ends[0]));
    EXPECT_EQ(kill(child, SIGKILL), 0);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(flows(ends[0])) << "it ended with its parent";
    for (const auto& process : started(mark).processes) kill(std::stoi(process), SIGKILL);
  }));
}

}  // namespace
}  // namespace manactl::test::leftovers_test
