// SPDX-License-Identifier: MIT

#include "adapter/launch/launch_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include "adapter/link/capture.h"

namespace manactl::adapter {

LaunchFiles::~LaunchFiles() {
  for (const int fd : fds_) close(fd);
}

Result<> LaunchFiles::add(std::string_view key, Result<int> fd) {
  if (!fd) {
    auto error = fd.error();
    // A wrong path is a usage error, but `not_found` means that the machine lacks something.
    if (error.code == Errc::not_found && key != "tap") error.code = Errc::invalid;
    return tl::unexpected<Error>(std::move(error));
  }
  fds_.push_back(*fd);
  settings_ += fmt::format(" {}={}", key, *fd);
  return {};
}

Result<LaunchFiles> LaunchFiles::open(const Config& config, const LaunchPaths& paths) {
  const bool uses_capture = config.backend == BackendKind::pcap;
  if (uses_capture && paths.read.empty()) {
    return fail(Errc::invalid, "--backend pcap needs a capture: --read FILE");
  }
  if (!uses_capture && !paths.read.empty()) {
    return fail(Errc::invalid, "--read needs --backend pcap: other backends do not play captures");
  }
  LaunchFiles files;
  Result<> good;
  if (uses_capture) good = files.add("read", open_capture(paths.read));
  for (std::uint32_t port = 0; good && port < config.ports; ++port) {
    if (config.backend == BackendKind::tap) {
      good = files.add("tap", open_tap(fmt::format("sim{}", port)));
    }
    if (!good || paths.write.empty()) continue;
    const auto suffix = config.ports == 1 ? std::string() : fmt::format(".{}", port);
    good = files.add("write", create_capture(paths.write + suffix));
  }
  if (!good) return tl::unexpected<Error>(good.error());
  return files;
}

}  // namespace manactl::adapter
