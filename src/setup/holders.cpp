// SPDX-License-Identifier: MIT

#include "setup/holders.h"

#include <algorithm>

#include "base/text.h"
#include "setup/sysfs.h"

namespace manactl::setup {

std::string Holder::text() const {
  return fmt::format("process {} ({})", pid, program);
}

std::vector<Holder> holders_of(const std::set<std::string>& devices, const os::Files& files) {
  std::vector<Holder> found;
  if (devices.empty()) return found;
  for (const auto& pid : files.list("proc").value_or(std::vector<std::string>{})) {
    const auto number = parse_unsigned(pid, UINT32_MAX);
    if (!number) continue;
    const std::string directory = "proc/" + pid + "/fd";
    const auto open = files.list(directory).value_or(std::vector<std::string>{});
    const bool holds = std::any_of(open.begin(), open.end(), [&](const std::string& fd) {
      const auto target = files.link_target(fmt::format("{}/{}", directory, fd));
      return target && devices.count(*target) != 0;
    });
    if (!holds) continue;
    const auto name = files.read("proc/" + pid + "/comm");
    found.push_back({static_cast<unsigned>(*number), name ? printable(*name, 60) : ""});
  }
  return found;
}

std::vector<Holder> holders_of_uio(const std::string& channel, const os::Files& files) {
  if (channel.empty()) return {};
  const auto uio = uio_of(files, channel);
  return uio ? holders_of({"/dev/" + *uio}, files) : std::vector<Holder>{};
}

}  // namespace manactl::setup
