// SPDX-License-Identifier: MIT

#include "cli/run_manactl.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace manactl::test {
namespace {

int memory_file(const char* name, const std::string& text = {}) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) throw std::runtime_error("memfd_create failed");
  if (!text.empty() && write(file, text.data(), text.size()) < 0) {
    throw std::runtime_error("cannot fill a memory file");
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

std::string contents(int file) {
  std::string text;
  std::string block(65536, '\0');
  lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(file, block.data(), block.size())) > 0;) {
    text.append(block, 0, static_cast<std::size_t>(got));
  }
  close(file);
  return text;
}

void break_stdout() {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) _exit(127);
  close(ends[0]);
  dup2(ends[1], 1);
  close(ends[1]);
  signal(SIGPIPE, SIG_IGN);
}

bool is_running(pid_t child) {
  siginfo_t state{};
  return waitid(P_PID, static_cast<id_t>(child), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == 0;
}

bool has_worked(pid_t child, const std::string& thread, unsigned ticks) {
  std::error_code ignored;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(child) + "/task", ignored)) {
    std::string text;
    std::getline(std::ifstream(task.path() / "stat"), text);
    if (text.substr(0, text.rfind(')')).find(thread) == std::string::npos) continue;
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    unsigned user = 0;
    fields >> user;
    return user >= ticks;
  }
  return false;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

std::size_t Outcome::error_lines() const {
  return static_cast<std::size_t>(std::count(err.begin(), err.end(), '\n'));
}

Outcome manactl(const std::vector<std::string>& arguments, const ProcessOptions& process) {
  std::vector<std::string> words = {MANACTL_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto argv = pointers(words);
  const auto env = pointers(process.environment);
  const int in = memory_file("in", process.input);
  const int out = process.stdout_path.empty()
                      ? memory_file("out")
                      : open(process.stdout_path.c_str(), O_RDWR | O_CLOEXEC);
  const int err = memory_file("err");
  const pid_t child = fork();
  if (child == 0) {
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    if (process.stdout_closed) close(1);
    if (process.stdout_broken) break_stdout();
    execve(argv[0], argv.data(), env.data());
    _exit(127);
  }
  if (process.signal != 0) {
    while (is_running(child) && !has_worked(child, process.signal_thread, process.signal_ticks)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(child, process.signal);
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(in);
  Outcome outcome;
  outcome.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (process.stdout_path.empty()) {
    outcome.out = contents(out);
  } else {
    close(out);
  }
  outcome.err = contents(err);
  return outcome;
}

Outcome manactl_until(const std::vector<std::string>& arguments,
                      const std::string& file,
                      const std::function<bool()>& act,
                      const ProcessOptions& process) {
  auto running = std::async(std::launch::async, [&] { return manactl(arguments, process); });
  while (access(file.c_str(), F_OK) != 0 &&
         running.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout) {
  }
  EXPECT_TRUE(act()) << std::strerror(errno);
  return running.get();
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "manactl-test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  directory_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string TemporaryDirectory::file(const std::string& name,
                                     const std::string& text,
                                     unsigned mode) const {
  const std::string where = path(name);
  std::ofstream(where, std::ios::binary) << text;
  chmod(where.c_str(), mode);
  return where;
}

}  // namespace manactl::test
