// SPDX-License-Identifier: MIT

#include "host/captured.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/budget.h"
#include "base/input_file.h"
#include "base/text.h"
#include "host/bundle.h"
#include "host/snapshot.h"

namespace manactl::host {
namespace {

// All contents and names that a command reads. A directory may contain sparse files.
constexpr std::size_t kMaxRead = 128U << 20;
constexpr std::size_t kMaxKernelLog = 64U << 20;

// The captured files, plus device nodes and read errors, which plain files cannot represent.
class CapturedFiles final : public os::Files {
 public:
  CapturedFiles(std::unique_ptr<os::Files> tree, const Snapshot& snapshot)
      : tree_(std::move(tree)), snapshot_(snapshot) {}

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override {
    if (const Error* error = captured_error(path)) return tl::unexpected<Error>(*error);
    auto text = tree_->read(path, max_bytes);
    if (text) {
      const auto charged = budget_.charge(text->size());
      if (!charged)
        return because(charged.error(), fmt::format("cannot read '{}'", printable(path)));
    }
    return text;
  }

  Result<std::string> link_target(std::string_view path) const override {
    return tree_->link_target(path);
  }

  Result<std::vector<std::string>> list(std::string_view dir) const override {
    if (const Error* error = captured_error(dir)) return tl::unexpected<Error>(*error);
    auto names = tree_->list(dir);
    if (names) {
      std::size_t size = 0;
      for (const auto& name : *names) size += sizeof(name) + name.size();
      const auto charged = budget_.charge(size);
      if (!charged)
        return because(charged.error(), fmt::format("cannot list '{}'", printable(dir)));
    }
    return names;
  }

  Result<os::Node> node(std::string_view path) const override {
    const auto found = snapshot_.nodes.find(std::string(path));
    if (found != snapshot_.nodes.end()) return found->second;
    return tree_->node(path);
  }

  Result<> write(std::string_view path, std::string_view) override {
    return fail(Errc::unsupported,
                fmt::format("cannot write '{}': this is a captured system", path));
  }

 private:
  const Error* captured_error(std::string_view path) const {
    if (snapshot_.file_errors.empty()) return nullptr;
    const auto found = snapshot_.file_errors.find(std::string(path));
    return found == snapshot_.file_errors.end() ? nullptr : &found->second;
  }

  std::unique_ptr<os::Files> tree_;
  const Snapshot& snapshot_;
  mutable Budget budget_{"the captured system",
                         kMaxRead};  // the interface reads by const functions
};

class CapturedLinks final : public os::Links {
 public:
  explicit CapturedLinks(const Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<std::vector<os::Link>> links() const override { return snapshot_.links; }

  Result<std::vector<os::Address>> addresses() const override { return snapshot_.addresses; }

  Result<std::vector<os::Route>> routes() const override { return snapshot_.routes; }

  Result<os::InterfaceSettings> settings(int index) const override {
    const auto* captured = settings_of(index);
    return captured == nullptr ? os::InterfaceSettings{} : captured->settings;
  }

  // Fails for an interface whose settings were not captured, which settings() does not show.
  Result<os::InterfaceSettings> limits(int index) const override {
    const auto* captured = settings_of(index);
    if (captured == nullptr) return not_captured("settings of the interface");
    return captured->limits;
  }

 private:
  const SettingsSnapshot* settings_of(int index) const {
    for (const auto& link : snapshot_.links.value_or(std::vector<os::Link>{})) {
      const auto found = snapshot_.settings.find(link.name);
      if (link.index == index && found != snapshot_.settings.end()) return &found->second;
    }
    return nullptr;
  }

  const Snapshot& snapshot_;
};

class CapturedEthtool final : public os::Ethtool {
 public:
  explicit CapturedEthtool(const Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<os::DriverInfo> driver(const InterfaceName& name) const override {
    const auto found = snapshot_.ethtool.find(name.str());
    if (found == snapshot_.ethtool.end()) return not_captured("ethtool driver of " + name.str());
    return found->second.driver;
  }

  Result<os::Counters> counters(const InterfaceName& name) const override {
    const auto found = snapshot_.ethtool.find(name.str());
    if (found == snapshot_.ethtool.end()) return not_captured("ethtool counters of " + name.str());
    return found->second.counters;
  }

 private:
  const Snapshot& snapshot_;
};

class CapturedRdma final : public os::Rdma {
 public:
  explicit CapturedRdma(const Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<std::vector<os::RdmaDevice>> devices() const override { return snapshot_.rdma; }

 private:
  const Snapshot& snapshot_;
};

class CapturedVerbs final : public os::VerbsProbe {
 public:
  explicit CapturedVerbs(const Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<std::vector<os::ProviderChoice>> providers() const override { return snapshot_.providers; }

  Result<> load_libraries() const override { return snapshot_.libraries; }

 private:
  const Snapshot& snapshot_;
};

class CapturedProcess final : public os::Process {
 public:
  explicit CapturedProcess(const Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<os::Privileges> privileges() const override { return snapshot_.privileges; }

  Result<os::KernelIdentity> kernel() const override { return snapshot_.kernel; }

  Result<CpuList> affinity() const override { return snapshot_.affinity; }

  std::vector<std::string> ssh_connections() const override { return snapshot_.ssh_connections; }

 private:
  const Snapshot& snapshot_;
};

class CapturedSockets final : public os::Sockets {
 public:
  explicit CapturedSockets(const Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<std::vector<os::TcpSocket>> tcp() const override { return snapshot_.tcp; }

  Result<std::vector<std::uint64_t>> bound_to(int /*interface*/) const override {
    return fail(Errc::unsupported, "a bundle contains only sockets of TCP");
  }

 private:
  const Snapshot& snapshot_;
};

class CapturedModules final : public os::Modules {
 public:
  CapturedModules(const Snapshot& snapshot, const os::Files& files)
      : snapshot_(snapshot),
        tree_(os::open_modules(files, snapshot.kernel ? snapshot.kernel->release : "", false)) {}

  Result<os::ModuleState> state(std::string_view name) const override {
    std::string key(name);
    std::replace(key.begin(), key.end(), '-', '_');
    const auto found = snapshot_.modules.find(key);
    if (found != snapshot_.modules.end()) return found->second;
    auto state = tree_->state(name);
    // Without the release, the files of the modules cannot be found.
    const bool is_unknown =
        state && state->presence == Presence::missing && !snapshot_.kernel.has_value();
    return is_unknown ? tl::unexpected<Error>(snapshot_.kernel.error()) : state;
  }

 private:
  const Snapshot& snapshot_;
  std::unique_ptr<os::Modules> tree_;
};

class CapturedKernelLog final : public os::KernelLog {
 public:
  explicit CapturedKernelLog(const os::Files& files) : files_(files) {}

  Result<std::unique_ptr<ByteSource>> open() const override {
    constexpr const char* kPath = "manactl/kernel.log";
    const auto node = files_.node(kPath);
    if (node && node->type != os::Node::Type::file) {
      return fail(Errc::invalid, fmt::format("'{}' is not a file", kPath));
    }
    if (node) return os::open_stream(files_, kPath, kMaxKernelLog);
    if (node.error().code == Errc::not_found) return not_captured("kernel log");
    return tl::unexpected<Error>(node.error());
  }

 private:
  const os::Files& files_;
};

class SystemOfTree final : public CapturedSystem {
 public:
  SystemOfTree(std::unique_ptr<os::Files> tree, Snapshot snapshot)
      : snapshot_(std::move(snapshot)),
        files_(std::move(tree), snapshot_),
        devices_(os::open_tree_devices(files_)),
        modules_(snapshot_, files_),
        kernel_log_(files_) {}

  os::System system() override {
    return {files_,
            links_,
            ethtool_,
            rdma_,
            verbs_,
            *devices_,
            modules_,
            process_,
            sockets_,
            kernel_log_};
  }

 private:
  // snapshot_ and files_ are declared first, because the other members refer to them.
  Snapshot snapshot_;
  CapturedFiles files_;
  CapturedLinks links_{snapshot_};
  CapturedEthtool ethtool_{snapshot_};
  CapturedRdma rdma_{snapshot_};
  CapturedVerbs verbs_{snapshot_};
  std::unique_ptr<os::Devices> devices_;
  CapturedModules modules_;
  CapturedProcess process_{snapshot_};
  CapturedSockets sockets_{snapshot_};
  CapturedKernelLog kernel_log_;
};

}  // namespace

Result<std::unique_ptr<CapturedSystem>> open_captured_files(std::unique_ptr<os::Files> tree) {
  auto snapshot = read_snapshot(*tree);
  if (!snapshot) return tl::unexpected<Error>(snapshot.error());
  return std::make_unique<SystemOfTree>(std::move(tree), std::move(*snapshot));
}

Result<std::unique_ptr<CapturedSystem>> open_captured(const std::string& path) {
  const auto found = find_input(path, "a directory or a bundle");
  if (!found) return tl::unexpected<Error>(found.error());

  struct stat status{};

  if (fstat(found->get(), &status) != 0) {
    return fail_errno(errno, fmt::format("cannot open '{}'", path));
  }
  auto tree = S_ISDIR(status.st_mode)
                  ? os::open_files(fmt::format("/proc/self/fd/{}", found->get()), path)
                  : read_bundle(path);
  if (!tree) return tl::unexpected<Error>(tree.error());
  if (!exists(**tree, "manactl") && !exists(**tree, "sys") && !exists(**tree, "proc")) {
    return fail(Errc::invalid,
                fmt::format("'{}' is neither a captured tree nor a bundle: it contains no sys, "
                            "proc or manactl; unpack it to read logs in it",
                            path));
  }
  auto captured = open_captured_files(std::move(*tree));
  if (!captured) return because(captured.error(), fmt::format("cannot use '{}'", path));
  return captured;
}

}  // namespace manactl::host
