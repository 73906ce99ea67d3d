// SPDX-License-Identifier: MIT

#include "os/system.h"

#include <utility>

namespace manactl::os {

Result<LiveSystem> LiveSystem::open() {
  auto files = open_files("/");
  if (!files) return tl::unexpected<Error>(std::move(files.error()));
  LiveSystem live;
  live.files_ = std::move(*files);
  live.process_ = open_process();
  auto kernel = live.process_->kernel();
  if (!kernel) return tl::unexpected<Error>(std::move(kernel.error()));
  live.links_ = open_links();
  live.ethtool_ = open_ethtool();
  live.rdma_ = open_rdma(*live.files_);
  live.verbs_ = open_verbs_probe();
  live.devices_ = open_live_devices(*live.files_);
  live.modules_ = open_modules(*live.files_, std::move(kernel->release), true);
  live.sockets_ = open_sockets(*live.files_);
  live.kernel_log_ = open_kernel_log();
  return live;
}

System LiveSystem::system() {
  return {*files_,
          *links_,
          *ethtool_,
          *rdma_,
          *verbs_,
          *devices_,
          *modules_,
          *process_,
          *sockets_,
          *kernel_log_};
}

}  // namespace manactl::os
