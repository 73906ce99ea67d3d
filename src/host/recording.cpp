// SPDX-License-Identifier: MIT

#include "host/recording.h"

#include <algorithm>
#include <cstring>

#include "host/versions.h"

namespace manactl::host {
namespace {

class RecordingLinks final : public os::Links {
 public:
  RecordingLinks(os::Links& real, Answers& answers) : real_(real), answers_(answers) {}

  Result<std::vector<os::Link>> links() const override { return answers_.links = real_.links(); }

  Result<std::vector<os::Address>> addresses() const override {
    return answers_.addresses = real_.addresses();
  }

  Result<std::vector<os::Route>> routes() const override {
    return answers_.routes = real_.routes();
  }

 private:
  os::Links& real_;
  Answers& answers_;
};

class RecordingEthtool final : public os::Ethtool {
 public:
  RecordingEthtool(os::Ethtool& real, Answers& answers) : real_(real), answers_(answers) {}

  Result<os::DriverInfo> driver(const InterfaceName& name) const override {
    return answers_.ethtool[name.str()].driver = real_.driver(name);
  }

  Result<os::Counters> counters(const InterfaceName& name) const override {
    return answers_.ethtool[name.str()].counters = real_.counters(name);
  }

 private:
  os::Ethtool& real_;
  Answers& answers_;
};

class RecordingRdma final : public os::Rdma {
 public:
  RecordingRdma(os::Rdma& real, Answers& answers) : real_(real), answers_(answers) {}

  Result<std::vector<os::RdmaDevice>> devices() const override {
    return answers_.rdma = real_.devices();
  }

 private:
  os::Rdma& real_;
  Answers& answers_;
};

class RecordingVerbs final : public os::VerbsProbe {
 public:
  RecordingVerbs(os::VerbsProbe& real, Answers& answers) : real_(real), answers_(answers) {}

  Result<std::vector<os::ProviderChoice>> providers() const override {
    return answers_.providers = real_.providers();
  }

 private:
  os::VerbsProbe& real_;
  Answers& answers_;
};

class RecordingDevices final : public os::Devices {
 public:
  RecordingDevices(os::Devices& real, const os::Files& files)
      : real_(real), tree_(os::open_tree_devices(files)) {}

  // A captured tree is walked in sysfs, so it is walked here too; libudev's answer is given.
  Result<std::vector<os::PciDevice>> pci_network() const override {
    const auto recorded = tree_->pci_network();
    auto answer = real_.pci_network();
    return answer || !recorded ? answer : recorded;
  }

  Result<std::vector<os::VmbusDevice>> vmbus_network() const override {
    const auto recorded = tree_->vmbus_network();
    auto answer = real_.vmbus_network();
    return answer || !recorded ? answer : recorded;
  }

 private:
  os::Devices& real_;
  std::unique_ptr<os::Devices> tree_;
};

class RecordingModules final : public os::Modules {
 public:
  RecordingModules(os::Modules& real, Answers& answers) : real_(real), answers_(answers) {}

  Result<os::ModuleState> state(std::string_view name) const override {
    std::string key(name);
    std::replace(key.begin(), key.end(), '-', '_');
    auto state = real_.state(name);
    answers_.modules.insert_or_assign(key, state);
    return state;
  }

 private:
  os::Modules& real_;
  Answers& answers_;
};

class RecordingProcess final : public os::Process {
 public:
  RecordingProcess(os::Process& real, Answers& answers) : real_(real), answers_(answers) {}

  Result<os::Privileges> privileges() const override {
    return answers_.privileges = real_.privileges();
  }

  Result<os::KernelIdentity> kernel() const override { return answers_.kernel = real_.kernel(); }

  Result<CpuList> affinity() const override { return answers_.affinity = real_.affinity(); }

  std::string ssh_connection() const override {
    return answers_.ssh_connection = real_.ssh_connection();
  }

 private:
  os::Process& real_;
  Answers& answers_;
};

class RecordingSockets final : public os::Sockets {
 public:
  RecordingSockets(os::Sockets& real, Answers& answers) : real_(real), answers_(answers) {}

  Result<std::vector<os::TcpSocket>> tcp() const override { return answers_.tcp = real_.tcp(); }

 private:
  os::Sockets& real_;
  Answers& answers_;
};

// Hands bytes on and keeps a copy of the first ones.
class TeeSource final : public ByteSource {
 public:
  TeeSource(std::unique_ptr<ByteSource> real, std::string& copy)
      : real_(std::move(real)), copy_(copy) {
    copy_.clear();
  }

  Result<std::size_t> read(std::span<char> into) override {
    constexpr std::size_t kMost = 64U << 20;
    auto count = real_->read(into);
    if (count && copy_.size() < kMost) copy_.append(into.data(), *count);
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

class SystemRecorder final : public Recorder {
 public:
  explicit SystemRecorder(const os::System& real)
      : real_(real),
        files_(real.files),
        links_(real.links, answers_),
        ethtool_(real.ethtool, answers_),
        rdma_(real.rdma, answers_),
        verbs_(real.verbs, answers_),
        devices_(real.devices, files_),
        modules_(real.modules, answers_),
        process_(real.process, answers_),
        sockets_(real.sockets, answers_),
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
    Answers answers = answers_;
    answers.nodes = files_.nodes();
    answers.file_errors = files_.errors();
    TreeEntries tree = files_.entries();
    // Which other packages a VM has is nobody's business, and the file is long.
    if (const auto found = tree.find(std::string(kDpkgStatus)); found != tree.end()) {
      found->second.text = dpdk_packages(found->second.text);
    }
    for (auto& [path, text] : write_answers(answers)) {
      tree[path] = {TreeEntry::Kind::file, std::move(text)};
    }
    if (!log_.empty()) tree["manactl/kernel.log"] = {TreeEntry::Kind::file, log_};
    return tree;
  }

  std::string host_name() const override {
    return real_.files.read("proc/sys/kernel/hostname").value_or("");
  }

 private:
  os::System real_;
  Answers answers_;
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

std::unique_ptr<RecordingSystem> record(const os::System& real) {
  return std::make_unique<SystemRecorder>(real);
}

}  // namespace manactl::host
