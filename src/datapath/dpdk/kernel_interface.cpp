// SPDX-License-Identifier: MIT
#include "datapath/dpdk/kernel_interface.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace manactl::datapath::dpdk {

unsigned mtu_of_interface(unsigned index) {
  ifreq request{};
  if (index == 0 || if_indextoname(index, request.ifr_name) == nullptr) return 0;
  const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file == -1) return 0;
  const bool known = ioctl(file, SIOCGIFMTU, &request) == 0;
  close(file);
  return known && request.ifr_mtu > 0 ? static_cast<unsigned>(request.ifr_mtu) : 0;
}

bool has_interface(unsigned index) {
  char name[IF_NAMESIZE] = {};
  return if_indextoname(index, name) != nullptr || errno != ENXIO;
}

std::string name_of_interface(unsigned index) {
  char name[IF_NAMESIZE] = {};
  return index != 0 && if_indextoname(index, name) != nullptr ? name : "";
}

bool is_up(const std::string& name) {
  ifreq request{};
  if (name.empty() || name.size() >= sizeof request.ifr_name) return false;
  name.copy(request.ifr_name, name.size());
  const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file == -1) return false;
  const bool up = ioctl(file, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP) != 0;
  close(file);
  return up;
}

bool has_rdma_device(const std::string& pci) {
  return access(("/sys/bus/pci/devices/" + pci + "/infiniband").c_str(), F_OK) == 0;
}

}  // namespace manactl::datapath::dpdk
