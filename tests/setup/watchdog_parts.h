// SPDX-License-Identifier: MIT
//
// The files and the clock of a real watchdog process that watches a VM in memory.

#pragma once

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "os/files.h"
#include "setup/clock.h"

namespace manactl::test {

inline constexpr int kInherited = 50, kThisProcess = 51;  // descriptors without and with FD_CLOEXEC

inline void put(int fd, const std::string& text) {
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(9);
}

inline std::string limit_of(__rlimit_resource resource) {
  rlimit limit{};
  getrlimit(resource, &limit);
  if (limit.rlim_cur == 0 && limit.rlim_max == 0) return "0";
  return limit.rlim_cur == limit.rlim_max ? "hard limit" : "lower than the hard limit";
}

// Describes the process that calls it.
inline std::string describe_process() {
  sigset_t blocked{};
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  std::string text = "blocked:";
  for (const int number : {SIGHUP, SIGTERM, SIGXFSZ, SIGTSTP, SIGRTMAX}) {
    if (sigismember(&blocked, number) == 1) text += fmt::format(" {}", number);
  }
  text += getsid(0) == getpid() ? ", own session" : ", session of the caller";
  text += ", in " + std::filesystem::current_path().string();
  text += fmt::format(", umask {:o}", umask(0));
  text += environ == nullptr || *environ == nullptr ? ", no environment" : ", environment";
  for (const int fd : {0, 1, 2, kInherited, kThisProcess}) {
    std::error_code missing;
    const auto target = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", fd), missing);
    text += fmt::format(", {}: {}", fd, missing ? "closed" : target.string());
  }
  text += ", CPU: " + limit_of(RLIMIT_CPU) + ", files: " + limit_of(RLIMIT_FSIZE) +
          ", core: " + limit_of(RLIMIT_CORE);
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  text += fmt::format(", descriptors: {}", descriptors.rlim_cur);
  return text;
}

// The files of the VM, but the processes of this machine.
class ProcessFiles final : public os::Files {
 public:
  ProcessFiles(os::Files& vm, int report) : vm_(vm), report_(report) {}

  Result<std::string> read(std::string_view path, std::size_t max) const override {
    if (!path.starts_with("proc/") || path.starts_with("proc/sys")) return vm_.read(path, max);
    std::ifstream file("/" + std::string(path));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  Result<std::string> link_target(std::string_view path) const override {
    return vm_.link_target(path);
  }

  Result<std::vector<std::string>> list(std::string_view dir) const override {
    if (dir != "proc/self/fd") return vm_.list(dir);
    if (ends) _exit(3);
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
      names.push_back(file.path().filename());
    }
    return names;
  }

  Result<os::Node> node(std::string_view path) const override {
    if (has_systemd && path == "run/systemd/system") return os::Node{};
    return vm_.node(path);
  }

  Result<> write(std::string_view path, std::string_view text) override {
    if (path != "proc/self/oom_score_adj") return vm_.write(path, text);
    put(report_, fmt::format("oom_score_adj {}, {}\n", text, describe_process()));
    on_start();
    return {};
  }

  std::function<void()> on_start;

  bool ends = false;  // the watchdog process ends before it is ready
  bool has_systemd = false;

 private:
  os::Files& vm_;
  int report_;
};

// Each pause waits until the test closes the other end of a pipe, and then takes no time.
class HeldClock final : public setup::Clock {
 public:
  HeldClock(Clock& clock, int gate) : clock_(clock), gate_(gate) {}

  std::chrono::milliseconds now() const override { return clock_.now(); }

  void pause(std::chrono::milliseconds time) override {
    char nothing = 0;
    while (read(gate_, &nothing, 1) > 0) {
    }
    clock_.pause(time);
    constexpr int kMaxPauses = 100'000;  // ends a watchdog that would never end, if a test fails
    if (++pauses_ > kMaxPauses) _exit(4);
    if (after_pause) after_pause();
  }

  std::function<void()> after_pause;

 private:
  Clock& clock_;
  int gate_;
  int pauses_ = 0;
};

}  // namespace manactl::test
