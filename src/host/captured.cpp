// SPDX-License-Identifier: MIT

#include "host/captured.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/captured_system.h"

namespace manactl::host {
namespace {

// The tree, with what a tree cannot carry: device nodes, and files that refuse to be read.
class CapturedFiles final : public os::Files {
 public:
  CapturedFiles(std::unique_ptr<os::Files> tree, const Answers& answers)
      : tree_(std::move(tree)), answers_(answers) {}

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override {
    if (const Error* error = refused(path)) return tl::unexpected<Error>(*error);
    return tree_->read(path, max_bytes);
  }

  Result<std::string> link_target(std::string_view path) const override {
    return tree_->link_target(path);
  }

  Result<std::vector<std::string>> list(std::string_view dir) const override {
    if (const Error* error = refused(dir)) return tl::unexpected<Error>(*error);
    return tree_->list(dir);
  }

  Result<os::Node> node(std::string_view path) const override {
    const auto found = answers_.nodes.find(std::string(path));
    if (found != answers_.nodes.end()) return found->second;
    return tree_->node(path);
  }

  Result<> write(std::string_view path, std::string_view) override {
    return fail(Errc::unsupported,
                fmt::format("cannot write '{}': this is a captured system", path));
  }

 private:
  const Error* refused(std::string_view path) const {
    if (answers_.file_errors.empty()) return nullptr;
    const auto found = answers_.file_errors.find(std::string(path));
    return found == answers_.file_errors.end() ? nullptr : &found->second;
  }

  std::unique_ptr<os::Files> tree_;
  const Answers& answers_;
};

class CapturedLinks final : public os::Links {
 public:
  explicit CapturedLinks(const Answers& answers) : answers_(answers) {}

  Result<std::vector<os::Link>> links() const override { return answers_.links; }

  Result<std::vector<os::Address>> addresses() const override { return answers_.addresses; }

  Result<std::vector<os::Route>> routes() const override { return answers_.routes; }

 private:
  const Answers& answers_;
};

class CapturedEthtool final : public os::Ethtool {
 public:
  explicit CapturedEthtool(const Answers& answers) : answers_(answers) {}

  Result<os::DriverInfo> driver(const InterfaceName& name) const override {
    const auto found = answers_.ethtool.find(name.str());
    if (found == answers_.ethtool.end()) return not_captured("ethtool driver of " + name.str());
    return found->second.driver;
  }

  Result<os::Counters> counters(const InterfaceName& name) const override {
    const auto found = answers_.ethtool.find(name.str());
    if (found == answers_.ethtool.end()) return not_captured("ethtool counters of " + name.str());
    return found->second.counters;
  }

 private:
  const Answers& answers_;
};

class CapturedRdma final : public os::Rdma {
 public:
  explicit CapturedRdma(const Answers& answers) : answers_(answers) {}

  Result<std::vector<os::RdmaDevice>> devices() const override { return answers_.rdma; }

 private:
  const Answers& answers_;
};

class CapturedVerbs final : public os::VerbsProbe {
 public:
  explicit CapturedVerbs(const Answers& answers) : answers_(answers) {}

  Result<std::vector<os::ProviderChoice>> providers() const override { return answers_.providers; }

 private:
  const Answers& answers_;
};

class CapturedProcess final : public os::Process {
 public:
  explicit CapturedProcess(const Answers& answers) : answers_(answers) {}

  Result<os::Privileges> privileges() const override { return answers_.privileges; }

  Result<os::KernelIdentity> kernel() const override { return answers_.kernel; }

  Result<CpuList> affinity() const override { return answers_.affinity; }

  std::string ssh_connection() const override { return answers_.ssh_connection; }

 private:
  const Answers& answers_;
};

class CapturedSockets final : public os::Sockets {
 public:
  explicit CapturedSockets(const Answers& answers) : answers_(answers) {}

  Result<std::vector<os::TcpSocket>> tcp() const override { return answers_.tcp; }

 private:
  const Answers& answers_;
};

class CapturedModules final : public os::Modules {
 public:
  CapturedModules(const Answers& answers, const os::Files& files)
      : answers_(answers),
        tree_(os::open_modules(files, answers.kernel ? answers.kernel->release : "", false)) {}

  Result<os::ModuleState> state(std::string_view name) const override {
    std::string key(name);
    std::replace(key.begin(), key.end(), '-', '_');
    const auto found = answers_.modules.find(key);
    return found == answers_.modules.end() ? tree_->state(name) : found->second;
  }

 private:
  const Answers& answers_;
  std::unique_ptr<os::Modules> tree_;
};

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}

  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), text_.size() - at_);
    std::memcpy(into.data(), text_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

class CapturedKernelLog final : public os::KernelLog {
 public:
  explicit CapturedKernelLog(const os::Files& files) : files_(files) {}

  Result<std::unique_ptr<ByteSource>> open() const override {
    constexpr std::size_t kMost = 256U << 20;
    auto text = files_.read("manactl/kernel.log", kMost);
    if (text) return std::make_unique<TextSource>(std::move(*text));
    if (text.error().code == Errc::not_found) return not_captured("kernel log");
    return tl::unexpected<Error>(text.error());
  }

 private:
  const os::Files& files_;
};

class AssembledSystem final : public CapturedSystem {
 public:
  AssembledSystem(std::unique_ptr<os::Files> tree, Answers answers)
      : answers_(std::move(answers)),
        files_(std::move(tree), answers_),
        devices_(os::open_tree_devices(files_)),
        modules_(answers_, files_),
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
  // The members below refer to these two.
  Answers answers_;
  CapturedFiles files_;
  CapturedLinks links_{answers_};
  CapturedEthtool ethtool_{answers_};
  CapturedRdma rdma_{answers_};
  CapturedVerbs verbs_{answers_};
  std::unique_ptr<os::Devices> devices_;
  CapturedModules modules_;
  CapturedProcess process_{answers_};
  CapturedSockets sockets_{answers_};
  CapturedKernelLog kernel_log_;
};

}  // namespace

Result<std::unique_ptr<CapturedSystem>> assemble_captured(std::unique_ptr<os::Files> tree) {
  auto answers = read_answers(*tree);
  if (!answers) return tl::unexpected<Error>(answers.error());
  return std::make_unique<AssembledSystem>(std::move(tree), std::move(*answers));
}

Result<std::unique_ptr<CapturedSystem>> open_captured(const std::string& path) {
  struct stat status {};

  if (stat(path.c_str(), &status) != 0) {
    return fail_errno(errno, fmt::format("cannot open '{}'", path));
  }
  auto tree = S_ISDIR(status.st_mode) ? os::open_files(path) : read_bundle(path);
  if (!tree) return tl::unexpected<Error>(tree.error());
  if (!exists(**tree, "manactl") && !exists(**tree, "sys") && !exists(**tree, "proc")) {
    return fail(Errc::invalid,
                fmt::format("'{}' is neither a captured tree nor a bundle: it has no sys, proc or "
                            "manactl in it",
                            path));
  }
  auto captured = assemble_captured(std::move(*tree));
  if (!captured) return because(captured.error(), fmt::format("cannot use '{}'", path));
  return captured;
}

}  // namespace manactl::host
