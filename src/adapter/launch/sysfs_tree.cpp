// SPDX-License-Identifier: MIT

#include "adapter/launch/sysfs_tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/trusted_directory.h"

namespace manactl::adapter {
namespace {

namespace fs = std::filesystem;

Result<> write_file(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written =
      fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int number = errno;
  if (fd >= 0) close(fd);
  if (!written) return fail_errno(number, fmt::format("cannot write '{}'", path));
  return {};
}

Result<> check_created(const std::error_code& error, const std::string& path) {
  if (error) return fail_errno(error.value(), fmt::format("cannot create '{}'", path));
  return {};
}

std::string resource_lines() {
  constexpr int kLines = 6;
  std::string text;
  for (int i = 0; i < kLines; ++i)
    text += "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
  return text;
}

// Whether a fault simulates a port in use. The interface of such a port is usually up.
bool is_port_in_use(const Config& config) {
  return std::any_of(config.faults.begin(), config.faults.end(), [](const Fault& fault) {
    const bool creates_qp = fault.verb == Verb::create_qp || fault.verb == Verb::create_qp_ex;
    return fault.kind == FaultKind::error && creates_qp &&
           (fault.number == EBUSY || fault.number == ENODEV);
  });
}

// The content of the file "flags" of each port: IFF_* of <linux/if.h>.
std::string flags_line(const Config& config) {
  constexpr unsigned kUp = 0x1, kBroadcast = 0x2, kMulticast = 0x1000;
  return fmt::format("{:#x}\n", kBroadcast | kMulticast | (is_port_in_use(config) ? kUp : 0U));
}

// The content of the file "speed", in Mbit/s; -1 means unknown, as in the kernel.
std::string speed_line(const Config& config) {
  constexpr std::uint64_t kMega = 1'000'000;
  const auto speed = config.link.bits_per_second / kMega;
  return speed == 0 ? "-1\n" : fmt::format("{}\n", speed);
}

}  // namespace

Result<SysfsTree> SysfsTree::make(const Config& config, const std::string& parent) {
  // Programs follow paths into the tree, so other users must not be able to replace it.
  const auto trusted = TrustedDirectory::open(parent, Trust::owned);
  if (!trusted) return tl::unexpected<Error>(trusted.error());
  std::string path = parent + "/manactl-sim-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return fail_errno(errno, fmt::format("cannot create a directory in '{}'", parent));
  }
  SysfsTree tree(std::move(path));
  const auto filled = tree.fill(config);
  if (!filled) return tl::unexpected<Error>(filled.error());
  return tree;
}

SysfsTree::~SysfsTree() {
  if (root_.empty()) return;
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

Result<> SysfsTree::fill(const Config& config) const {
  const auto device = fmt::format("{}/{}", pci_devices(), kSlot);
  const auto rdma = root_ + "/class/infiniband/mana_0";
  std::error_code error;
  for (const auto& path : {device + "/net", root_ + "/bus/pci/drivers/mana", rdma}) {
    fs::create_directories(path, error);
    if (auto good = check_created(error, path); !good) return good;
  }
  // EAL skips devices without a kernel driver (DPDK drivers/bus/pci/linux/pci.c).
  fs::create_directory_symlink("../../drivers/mana", device + "/driver", error);
  if (auto good = check_created(error, device + "/driver"); !good) return good;
  fs::create_directory_symlink(
      fmt::format("../../../bus/pci/devices/{}", kSlot), rdma + "/device", error);
  if (auto good = check_created(error, rdma + "/device"); !good) return good;

  std::vector<std::pair<std::string, std::string>> files = {
      {"vendor", "0x1414\n"},
      {"device", "0x00ba\n"},
      {"subsystem_vendor", "0x1414\n"},
      {"subsystem_device", "0x00ba\n"},
      {"class", "0x020000\n"},
      {"numa_node", "0\n"},
      {"resource", resource_lines()},
      {"uevent", fmt::format("DRIVER=mana\nPCI_SLOT_NAME={}\n", kSlot)}};
  for (std::uint32_t port = 0; port < config.ports; ++port) {
    const auto name = fmt::format("net/sim{}", port);
    fs::create_directory(fmt::format("{}/{}", device, name), error);
    if (auto good = check_created(error, name); !good) return good;
    files.emplace_back(name + "/dev_port", fmt::format("{}\n", port));
    files.emplace_back(name + "/address", config.mac_of(port).str() + "\n");
    files.emplace_back(name + "/flags", flags_line(config));
    files.emplace_back(name + "/speed", speed_line(config));
  }
  for (const auto& [name, text] : files) {
    if (auto good = write_file(fmt::format("{}/{}", device, name), text); !good) return good;
  }
  return {};
}

}  // namespace manactl::adapter
