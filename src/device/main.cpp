// SPDX-License-Identifier: MIT
//
// mana-device: a MANA device in software, as a PCI device of a virtual machine.

#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>

#include "adapter/link/capture.h"
#include "base/budget.h"
#include "base/text.h"
#include "base/trusted_directory.h"
#include "device/pci_proxy/server.h"
#include "device/process.h"
#include "device/vfio_user/server.h"
#include "os/sandbox.h"

namespace manactl::device {
namespace {

constexpr const char* kProgram = "mana-device";
constexpr int kDone = 0, kFailed = 1, kUsage = 2;

// Returns a descriptor that is readable when the process must end. Unlike the mask of ppoll(2), it
// also works while other descriptors are always readable. Writes to a connection or file that
// cannot be written fail instead of ending the process.
Result<Descriptor> prepare_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sigset_t stopping;
  sigemptyset(&stopping);
  for (const int number : {SIGTERM, SIGINT}) sigaddset(&stopping, number);
  sigprocmask(SIG_BLOCK, &stopping, nullptr);
  Descriptor stop(::signalfd(-1, &stopping, SFD_CLOEXEC));
  if (!stop) return fail_errno(errno, "cannot receive signals");
  return stop;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Result<File> open_trace(const std::string& path) {
  const auto cannot = fmt::format("cannot open the trace file '{}'", printable(path));
  auto file = open_output_file(path);
  if (!file) return because(file.error(), cannot);
  File opened(::fdopen(file->get(), "a"), std::fclose);
  if (!opened) return fail_errno(errno, cannot);
  file->release();
  return opened;
}

// The file is closed with the last copy of the trace.
Result<Trace> make_trace(const Options& options) {
  if (!options.trace) return Trace({}, print_message);
  std::shared_ptr<std::FILE> file(stderr, [](std::FILE*) {});
  if (!options.trace_file.empty()) {
    auto opened = open_trace(options.trace_file);
    if (!opened) return tl::unexpected<Error>(opened.error());
    file = std::move(*opened);
  }
  const auto write = [file, path = options.trace_file, failed = false](
                         const std::string& line) mutable {
    const auto text = line + '\n';
    const bool written = std::fputs(text.c_str(), file.get()) >= 0 && std::fflush(file.get()) == 0;
    if (written || failed) return;
    failed = true;
    const auto why = fail_errno(errno, fmt::format("cannot write the trace to '{}'", path));
    print_message(why.value().message);
  };
  return Trace(write, print_message);
}

// The listener of an optional socket; no value inside if `path` is empty.
Result<std::optional<Listener>> open_console(const std::string& path) {
  if (path.empty()) return std::optional<Listener>();
  auto opened = Listener::open(path, SOCK_STREAM);
  if (!opened) return tl::unexpected<Error>(opened.error());
  return std::optional<Listener>(std::move(*opened));
}

Result<Resources> open_resources(const Options& options) {
  auto qemu = Listener::open(options.path, SOCK_STREAM);
  if (!qemu) return tl::unexpected<Error>(qemu.error());
  auto console = open_console(options.console);
  if (!console) return tl::unexpected<Error>(console.error());
  Resources resources{std::move(*qemu), std::move(*console), {}, {}};
  for (const auto& option : options.uplinks) {
    auto uplink = Uplink::open(option);
    if (!uplink) return tl::unexpected<Error>(uplink.error());
    resources.uplinks.emplace_back(option.port, std::move(*uplink));
  }
  if (options.capture_file.empty()) return resources;
  const auto capture = adapter::create_capture(options.capture_file);
  if (!capture) return tl::unexpected<Error>(capture.error());
  resources.capture = Descriptor(*capture);
  return resources;
}

std::unique_ptr<FrontEnd> make_front_end(const Options& options, Trace& trace) {
  if (options.qtest.empty()) return std::make_unique<vfio_user::Server>(trace);
  return std::make_unique<pci_proxy::Server>(options.qtest, trace);
}

// Gives up all rights but those to serve, and to create the sockets again.
void confine(const Options& options) {
  std::vector<std::string> sockets = {options.path};
  if (!options.console.empty()) sockets.push_back(options.console);
  for (const auto& uplink : options.uplinks) {
    if (uplink.kind == UplinkKind::peer) sockets.push_back(uplink.name);
  }
  os::Sandbox sandbox;
  sandbox.is_server = true;
  for (const auto& path : sockets) {
    if (const auto place = split_file_path(path)) sandbox.sockets.push_back(place->directory);
  }
  const auto active = os::enter_sandbox(sandbox);
  if (!options.verbose) return;
  const auto landlock = fmt::format("Landlock version {}", active.landlock);
  print_message(
      fmt::format("confined: no capabilities, {}, {}, {}",
                  active.no_new_privileges ? "no new privileges" : "new privileges possible",
                  active.landlock > 0 ? landlock : "files not restricted (no Landlock)",
                  active.system_calls ? "system calls restricted (seccomp)"
                                      : "system calls not restricted (no seccomp)"));
}

Result<> run(const Options& options) {
  limit_memory();
  survive_lost_memory();
  const auto stop = prepare_signals();
  if (!stop) return tl::unexpected<Error>(stop.error());
  auto trace = make_trace(options);
  if (!trace) return tl::unexpected<Error>(trace.error());
  auto resources = open_resources(options);
  if (!resources) return tl::unexpected<Error>(resources.error());
  const auto front_end = make_front_end(options, *trace);
  confine(options);
  Process process(options, *resources, *front_end, *trace);
  fmt::print("ready\n");
  std::fflush(stdout);
  return process.run(*stop);
}

int report(const Error& error, int status) {
  print_message(error.message);
  return status;
}

int start(const std::vector<std::string>& arguments) {
  const auto options = parse_options(arguments);
  if (!options) return report(options.error(), kUsage);
  if (options->help) {
    fmt::print("{}", usage(kProgram, "SOCKET"));
    return kDone;
  }
  const auto done = run(*options);
  return done ? kDone : report(done.error(), kFailed);
}

}  // namespace
}  // namespace manactl::device

int main(int argc, char** argv) {
  return manactl::device::start({argv + 1, argv + argc});
}
