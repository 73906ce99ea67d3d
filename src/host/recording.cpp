// SPDX-License-Identifier: MIT

#include "host/recording.h"

#include <algorithm>

#include "host/recording_files.h"
#include "host/snapshot.h"
#include "host/tuning.h"
#include "host/versions.h"

namespace manactl::host {
namespace {

class RecordingLinks final : public os::Links {
 public:
  RecordingLinks(os::Links& real, Snapshot& snapshot) : real_(real), snapshot_(snapshot) {}

  Result<std::vector<os::Link>> links() const override { return snapshot_.links = real_.links(); }

  Result<std::vector<os::Address>> addresses() const override {
    return snapshot_.addresses = real_.addresses();
  }

  Result<std::vector<os::Route>> routes() const override {
    auto routes = real_.routes();
    if (routes) std::erase_if(*routes, [](const os::Route& route) { return !route.unicast; });
    return snapshot_.routes = std::move(routes);
  }

  // Not recorded: a captured system uses its routes instead.
  Result<std::vector<int>> find_outputs(const os::RouteQuery& query) const override {
    return real_.find_outputs(query);
  }

  Result<os::ForeignUppers> foreign_uppers() const override { return real_.foreign_uppers(); }

  Result<std::vector<std::string>> attachments(int index) const override {
    return real_.attachments(index);
  }

  Result<os::InterfaceSettings> settings(int index) const override {
    auto settings = real_.settings(index);
    auto& recorded = snapshot_.settings[name_of(index)].settings = settings;
    if (recorded) std::erase_if(*recorded, is_other);
    return settings;
  }

  Result<os::InterfaceSettings> limits(int index) const override {
    auto limits = real_.limits(index);
    if (limits) {
      auto& recorded = snapshot_.settings[name_of(index)].limits = *limits;
      std::erase_if(recorded, is_other);
    } else {
      snapshot_.settings.erase(name_of(index));  // of a captured system without settings
    }
    return limits;
  }

 private:
  static bool is_other(const std::pair<std::string, std::string>& setting) {
    return !is_tuning_key(setting.first);
  }

  // Empty if the interface has vanished.
  std::string name_of(int index) const {
    for (const auto& link : real_.links().value_or(std::vector<os::Link>{})) {
      if (link.index == index) return link.name;
    }
    return {};
  }

  os::Links& real_;
  Snapshot& snapshot_;
};

class RecordingEthtool final : public os::Ethtool {
 public:
  RecordingEthtool(os::Ethtool& real, Snapshot& snapshot) : real_(real), snapshot_(snapshot) {}

  Result<os::DriverInfo> driver(const InterfaceName& name) const override {
    return snapshot_.ethtool[name.str()].driver = real_.driver(name);
  }

  Result<os::Counters> counters(const InterfaceName& name) const override {
    return snapshot_.ethtool[name.str()].counters = real_.counters(name);
  }

 private:
  os::Ethtool& real_;
  Snapshot& snapshot_;
};

class RecordingRdma final : public os::Rdma {
 public:
  RecordingRdma(os::Rdma& real, Snapshot& snapshot) : real_(real), snapshot_(snapshot) {}

  Result<std::vector<os::RdmaDevice>> devices() const override {
    return snapshot_.rdma = real_.devices();
  }

 private:
  os::Rdma& real_;
  Snapshot& snapshot_;
};

class RecordingVerbs final : public os::VerbsProbe {
 public:
  RecordingVerbs(os::VerbsProbe& real, Snapshot& snapshot) : real_(real), snapshot_(snapshot) {}

  Result<std::vector<os::ProviderChoice>> providers() const override {
    return snapshot_.providers = real_.providers();
  }

  Result<> load_libraries() const override { return snapshot_.libraries = real_.load_libraries(); }

 private:
  os::VerbsProbe& real_;
  Snapshot& snapshot_;
};

class RecordingDevices final : public os::Devices {
 public:
  RecordingDevices(os::Devices& real, const os::Files& files)
      : real_(real), tree_(os::open_tree_devices(files)) {}

  // A captured system lists devices by reading sysfs. Read the same files here, so that they are
  // recorded, and return the devices of the real system.
  Result<std::vector<os::PciDevice>> pci_network() const override {
    const auto recorded = tree_->pci_network();
    auto devices = real_.pci_network();
    return devices || !recorded ? devices : recorded;
  }

  Result<std::vector<os::VmbusDevice>> vmbus_network() const override {
    const auto recorded = tree_->vmbus_network();
    auto devices = real_.vmbus_network();
    return devices || !recorded ? devices : recorded;
  }

  std::string fallback_reason() const override { return real_.fallback_reason(); }

 private:
  os::Devices& real_;
  std::unique_ptr<os::Devices> tree_;
};

class RecordingModules final : public os::Modules {
 public:
  RecordingModules(os::Modules& real, Snapshot& snapshot) : real_(real), snapshot_(snapshot) {}

  Result<os::ModuleState> state(std::string_view name) const override {
    std::string key(name);
    std::replace(key.begin(), key.end(), '-', '_');
    auto state = real_.state(name);
    snapshot_.modules.insert_or_assign(key, state);
    return state;
  }

 private:
  os::Modules& real_;
  Snapshot& snapshot_;
};

class RecordingProcess final : public os::Process {
 public:
  RecordingProcess(os::Process& real, Snapshot& snapshot) : real_(real), snapshot_(snapshot) {}

  Result<os::Privileges> privileges() const override {
    return snapshot_.privileges = real_.privileges();
  }

  Result<os::KernelIdentity> kernel() const override { return snapshot_.kernel = real_.kernel(); }

  Result<CpuList> affinity() const override { return snapshot_.affinity = real_.affinity(); }

  std::vector<std::string> ssh_connections() const override {
    return snapshot_.ssh_connections = real_.ssh_connections();
  }

 private:
  os::Process& real_;
  Snapshot& snapshot_;
};

class RecordingSockets final : public os::Sockets {
 public:
  RecordingSockets(os::Sockets& real, Snapshot& snapshot) : real_(real), snapshot_(snapshot) {}

  Result<std::vector<os::TcpSocket>> tcp() const override { return snapshot_.tcp = real_.tcp(); }

  Result<std::vector<std::uint64_t>> bound_to(int interface) const override {
    return real_.bound_to(interface);
  }

 private:
  os::Sockets& real_;
  Snapshot& snapshot_;
};

constexpr std::size_t kMaxCopy = 64U << 20;

// Removes the last line of a log that was cut, because a part of an address cannot be scrubbed.
std::string whole_lines(const std::string& log) {
  return log.size() < kMaxCopy ? log : log.substr(0, log.rfind('\n') + 1);
}

// Forwards all bytes and copies the first 64 MiB.
class TeeSource final : public ByteSource {
 public:
  TeeSource(std::unique_ptr<ByteSource> real, std::string& copy)
      : real_(std::move(real)), copy_(copy) {
    copy_.clear();
  }

  Result<std::size_t> read(std::span<char> into) override {
    auto count = real_->read(into);
    if (count && copy_.size() < kMaxCopy) copy_.append(into.data(), *count);
    return count;
  }

 private:
  std::unique_ptr<ByteSource> real_;
  std::string& copy_;
};

class RecordingKernelLog final : public os::KernelLog {
 public:
  RecordingKernelLog(os::KernelLog& real, std::string& copy) : real_(real), copy_(copy) {}

  Result<std::unique_ptr<ByteSource>> open() const override {
    auto source = real_.open();
    if (!source) return source;
    return std::make_unique<TeeSource>(std::move(*source), copy_);
  }

 private:
  os::KernelLog& real_;
  std::string& copy_;
};

class Recorder final : public SystemRecorder {
 public:
  explicit Recorder(const os::System& real)
      : real_(real),
        files_(real.files),
        links_(real.links, snapshot_),
        ethtool_(real.ethtool, snapshot_),
        rdma_(real.rdma, snapshot_),
        verbs_(real.verbs, snapshot_),
        devices_(real.devices, files_),
        modules_(real.modules, snapshot_),
        process_(real.process, snapshot_),
        sockets_(real.sockets, snapshot_),
        kernel_log_(real.kernel_log, log_) {}

  os::System system() override {
    return {files_,
            links_,
            ethtool_,
            rdma_,
            verbs_,
            devices_,
            modules_,
            process_,
            sockets_,
            kernel_log_};
  }

  TreeEntries tree() const override {
    Snapshot snapshot = snapshot_;
    snapshot.nodes = files_.nodes();
    TreeEntries tree = files_.entries();
    snapshot.file_errors = files_.errors(tree);
    // Keep only the packages of DPDK: the others are private, and the file is large.
    if (const auto found = tree.find(std::string(kDpkgStatus)); found != tree.end()) {
      found->second.text = dpdk_packages(found->second.text);
    }
    for (auto& [path, text] : write_snapshot(snapshot)) {
      tree[path] = {TreeEntry::Kind::file, std::move(text)};
    }
    if (!log_.empty()) tree["manactl/kernel.log"] = {TreeEntry::Kind::file, whole_lines(log_)};
    return tree;
  }

  std::map<std::string, std::string> read_paths() const override { return files_.read_paths(); }

  std::map<std::string, std::string> identity_files() const override {
    std::map<std::string, std::string> files;
    for (const char* path : {"proc/sys/kernel/hostname",
                             "proc/sys/kernel/domainname",
                             "etc/hostname",
                             "etc/hosts",
                             "etc/resolv.conf",
                             "etc/passwd"}) {
      if (auto text = real_.files.read(path)) files[path] = std::move(*text);
    }
    return files;
  }

 private:
  os::System real_;
  Snapshot snapshot_;
  std::string log_;
  RecordingFiles files_;
  RecordingLinks links_;
  RecordingEthtool ethtool_;
  RecordingRdma rdma_;
  RecordingVerbs verbs_;
  RecordingDevices devices_;
  RecordingModules modules_;
  RecordingProcess process_;
  RecordingSockets sockets_;
  RecordingKernelLog kernel_log_;
};

}  // namespace

std::unique_ptr<SystemRecorder> start_recording(const os::System& real) {
  return std::make_unique<Recorder>(real);
}

}  // namespace manactl::host
