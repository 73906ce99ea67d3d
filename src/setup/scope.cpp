// SPDX-License-Identifier: MIT

#include "setup/scope.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "base/child.h"
#include "base/text.h"

namespace manactl::setup {
namespace {

constexpr std::chrono::seconds kTimeout{5};
constexpr const char* kBusctl = "/usr/bin/busctl";

// The arguments of busctl(1) that call StartTransientUnit() of org.freedesktop.systemd1(5).
std::vector<std::string> arguments_for(const std::string& name, const std::string& description) {
  return {kBusctl,
          "call",
          "org.freedesktop.systemd1",
          "/org/freedesktop/systemd1",
          "org.freedesktop.systemd1.Manager",
          "StartTransientUnit",
          "ssa(sv)a(sa(sv))",
          // The unit, the mode of its job, three properties, no auxiliary units.
          name,
          "fail",
          "3",
          "Description",
          "s",
          description,
          "PIDs",
          "au",
          "1",
          std::to_string(getpid()),
          "CollectMode",
          "s",
          "inactive-or-failed",
          "0"};
}

// Replaces the child process by the program, which writes its output to `pipe`. It inherits no
// environment, and its signals are not blocked.
void run_program(std::vector<std::string> arguments, int pipe) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::array<char*, 1> no_environment{};
  sigset_t none{};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(pipe, STDOUT_FILENO) == STDOUT_FILENO && dup2(pipe, STDERR_FILENO) == STDERR_FILENO) {
    execve(pointers[0], pointers.data(), no_environment.data());
  }
  write_to_pipe(pipe, fail_errno(errno, "cannot run '" + arguments[0] + "'").value().message);
}

bool is_in(const std::string& unit, const os::Files& files) {
  const auto text = files.read("proc/self/cgroup").value_or("");
  const auto lines = split(text, '\n');
  // "0::/system.slice/a.scope"; with version 1 of cgroups: "1:name=systemd:/system.slice/a.scope".
  return std::any_of(
      lines.begin(), lines.end(), [&](auto line) { return line.ends_with("/" + unit); });
}

}  // namespace

Result<> enter_scope(const std::string& name,
                     const std::string& description,
                     const os::Files& files,
                     Clock& clock) {
  if (!exists(files, "run/systemd/system")) return {};  // sd_booted(3)
  auto arguments = arguments_for(name, description);
  const pid_t own = getpid();
  const auto reply =
      run_in_child([&](int pipe) { run_program(std::move(arguments), pipe); }, kTimeout);
  if (!reply) return tl::unexpected<Error>(reply.error());
  if (reply->end == ChildResult::End::timed_out) {
    return fail(Errc::timeout, "systemd did not reply within 5 s");
  }
  // The reply is the path of the job, as 'o "/org/freedesktop/systemd1/job/1"'.
  if (!reply->text.starts_with("o ")) return fail(Errc::io, std::string(trim(reply->text)));
  if (wait_until(clock, kTimeout, [&] { return is_in(name, files); })) return {};
  return fail(Errc::timeout, fmt::format("systemd did not move process {} to '{}'", own, name));
}

}  // namespace manactl::setup
