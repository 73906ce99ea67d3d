// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "cli/command.h"
#include "cli/doctor_probe.h"
#include "cli/log_files.h"
#include "cli/options.h"
#include "cli/prepared.h"
#include "cli/question.h"
#include "cli/render_doctor.h"
#include "host/bundle.h"
#include "host/gather.h"

namespace manactl::cli {
namespace {

struct Options {
  std::vector<std::string> logs;
  bool kernel_log = false;
  std::string bundle;
  bool scrub = false;
  std::optional<InterfaceName> probe;
};

struct NamedLog {
  std::string name;
  std::unique_ptr<ByteSource> source;
};

// A name that is a safe file name, for the bundle: "logs/1-testpmd.log".
std::string bundle_name(std::size_t number, const std::string& name) {
  std::string base = name.substr(name.rfind('/') + 1);
  for (char& c : base) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  if (name == "-") base = "stdin";
  constexpr std::size_t kLongest = 100;
  return fmt::format("logs/{}-{}", number, base.substr(0, kLongest));
}

class Doctor {
 public:
  Doctor(const Options& options, Context& context) : options_(options), context_(context) {}

  Exit run();

 private:
  Result<> open_logs(const os::System& system);
  Result<> open_bundled_logs(const os::System& system);
  Result<> open_kernel_log(const os::System& system);
  Result<> read_logs();
  void judge(const host::Facts& facts);
  Exit finish(host::RecordingSystem* recording);
  DoctorResult result(Exit exit) const;

  const Options& options_;
  Context& context_;
  std::vector<NamedLog> logs_;
  // Reports point into it.
  std::optional<diag::SignatureSet> signatures_;
  std::vector<diag::LogReport> reports_;
  std::map<std::string, std::string> kept_;  // for the bundle
  std::optional<datapath::ProbeReport> probe_;
  diag::Report checks_;
  diag::Diagnosis diagnosis_;
  std::vector<std::string> notes_;
};

Result<> Doctor::open_logs(const os::System& system) {
  for (const auto& path : options_.logs) {
    auto source = open_log(path);
    if (!source) return tl::unexpected<Error>(source.error());
    logs_.push_back({path, std::move(*source)});
  }
  const bool captured_alone = !context_.root.empty() && options_.logs.empty();
  if (captured_alone) {
    auto good = open_bundled_logs(system);
    if (!good) return good;
  }
  if (options_.kernel_log) return open_kernel_log(system);
  if (captured_alone) (void)open_kernel_log(system);  // a bundle without one is complete, too
  return {};
}

Result<> Doctor::open_bundled_logs(const os::System& system) {
  const auto names = system.files.list("logs");
  if (!names) return {};
  for (const auto& name : *names) {
    const std::string path = "logs/" + name;
    auto source = open_captured_log(system.files, path);
    if (!source) return because(source.error(), fmt::format("in '{}'", printable(context_.root)));
    logs_.push_back({path, std::move(*source)});
  }
  return {};
}

Result<> Doctor::open_kernel_log(const os::System& system) {
  auto source = system.kernel_log.open();
  if (!source) return tl::unexpected<Error>(source.error());
  logs_.push_back({"kernel log", std::move(*source)});
  return {};
}

Result<> Doctor::read_logs() {
  if (logs_.empty()) return {};
  auto signatures = diag::SignatureSet::load();
  if (!signatures) return because(signatures.error(), "the signatures of this build");
  signatures_.emplace(std::move(*signatures));
  for (const auto& log : logs_) {
    KeepingSource keeping(*log.source);
    ByteSource& source = options_.bundle.empty() ? *log.source : keeping;
    auto report = diag::read_log(source, log.name, *signatures_);
    if (!report) return tl::unexpected<Error>(report.error());
    reports_.push_back(std::move(*report));
    // The kernel's log is recorded with the system it belongs to.
    if (!options_.bundle.empty() && log.name != "kernel log") {
      kept_[bundle_name(kept_.size() + 1, log.name)] = keeping.kept();
    }
  }
  return {};
}

void Doctor::judge(const host::Facts& facts) {
  if (probe_ && probe_->simulated) {
    notes_.emplace_back("the software adapter was probed; this machine was not judged");
    diagnosis_ = diag::diagnose(checks_, reports_);
    return;
  }
  auto report = diag::run_checks(facts, question_about(1), {});
  if (report) checks_ = std::move(*report);
  // A log from elsewhere must not be blamed on the machine on which it is read.
  const bool log_alone = !reports_.empty() && !facts.has_mana();
  if (log_alone) {
    notes_.emplace_back(context_.root.empty()
                            ? "this machine has no MANA; the log was judged alone"
                            : "the captured machine has no MANA; the log was judged alone");
  }
  if (log_alone) {
    checks_ = {};
    diagnosis_ = diag::diagnose(checks_, reports_);
    return;
  }
  diagnosis_ = diag::diagnose(checks_, reports_, diag::witnesses_of(facts));
  const bool elsewhere = !facts.has_mana() && !diagnosis_.root;
  if (elsewhere) notes_.emplace_back("there is no MANA adapter here; most checks do not apply");
}

DoctorResult Doctor::result(Exit exit) const {
  DoctorResult result{diagnosis_, checks_, {}, notes_, exit, probe_ ? &*probe_ : nullptr};
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    result.logs.push_back({logs_[i].name, reports_[i].lines, reports_[i].dpdk_release});
  }
  return result;
}

Exit Doctor::finish(host::RecordingSystem* recording) {
  const Exit probed = probe_ ? exit_of(*probe_) : Exit::ok;
  const Exit judged = diagnosis_.root ? Exit::findings : Exit::ok;
  const Exit exit = probed == Exit::ok ? judged : probed;
  if (recording != nullptr) {
    std::ostringstream report;
    json(report, result(exit));
    host::BundleOptions bundle{options_.scrub, kept_};
    bundle.extra["manactl/report.json"] = report.str();
    const auto written = host::write_bundle(*recording, bundle, options_.bundle);
    // Whatever the reason: a result that cannot be written.
    if (!written) return report_error(context_, Error{Errc::io, 0, written.error().message});
    notes_.push_back(fmt::format("the bundle is '{}'", options_.bundle));
  }
  if (context_.json) {
    json(context_.out.stream(), result(exit));
  } else {
    text(context_.out, result(exit), context_.verbosity);
  }
  return exit;
}

Exit Doctor::run() {
  if (options_.scrub && options_.bundle.empty()) {
    return report_error(
        context_, Error{Errc::invalid, 0, "doctor: --scrub is for --bundle, which is missing"});
  }
  if (options_.probe && !context_.root.empty()) {
    return report_error(
        context_,
        Error{Errc::invalid, 0, "doctor: --root is for captured systems, which cannot be probed"});
  }
  auto system = context_.system();
  if (!system) return report_error(context_, system.error());
  std::unique_ptr<host::RecordingSystem> recording;
  if (!options_.bundle.empty()) recording = host::record(*system);
  const os::System asked = recording ? recording->system() : *system;
  auto good = open_logs(asked);
  if (good) good = read_logs();
  if (!good) return report_error(context_, good.error());
  const auto facts = host::gather(asked, embedded_dpdk());
  if (options_.probe) {
    auto probed =
        probe_interface(options_.probe->str(), asked, facts, known_entries(asked, context_));
    if (!probed) return report_error(context_, because(probed.error(), "doctor --probe").value());
    probe_ = std::move(*probed);
  }
  judge(facts);
  return finish(recording.get());
}

}  // namespace

Run add_doctor(CLI::App& app) {
  auto options = std::make_shared<Options>();
  const auto path = [](std::string_view text) { return parse_text(text, "a path"); };
  add_value(app,
            {"--log", type::kFile, "read this log, '-' is standard input", true},
            [options](const std::string& text) -> Result<> {
              auto log = parse_text(text, "a path");
              if (!log) return tl::unexpected<Error>(log.error());
              options->logs.push_back(std::move(*log));
              return {};
            });
  add_flag(app, "--kernel-log", options->kernel_log, "read the kernel's log, too");
  add_value(app,
            {"--bundle", type::kFile, "write facts, report and logs to this tar.gz"},
            into(options->bundle, path));
  add_flag(app, "--scrub", options->scrub, "replace addresses and names in the bundle");
  add_value(app,
            {"--probe", type::kInterface, "try direct verbs on this NIC; nothing is sent"},
            into(options->probe, InterfaceName::parse));
  return [options](Context& context) { return Doctor(*options, context).run(); };
}

}  // namespace manactl::cli
