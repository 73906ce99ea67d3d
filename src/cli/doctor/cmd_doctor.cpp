// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <sstream>

#include "base/budget.h"
#include "base/text.h"
#include "base/trusted_directory.h"
#include "cli/command.h"
#include "cli/doctor/bundle_file.h"
#include "cli/doctor/probe.h"
#include "cli/doctor/render_doctor.h"
#include "cli/doctor/review.h"
#include "cli/doctor/ticket.h"
#include "cli/facts.h"
#include "cli/imds.h"
#include "cli/input.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/readiness_text.h"
#include "host/bundle.h"
#include "host/decompress.h"
#include "host/load.h"
#include "host/metadata.h"
#include "host/tarball.h"

namespace manactl::cli {
namespace {

struct DoctorOptions {
  std::vector<std::string> logs;
  std::vector<std::string> machines;  // bundles and captured trees
  bool kernel_log = false;
  std::string bundle;
  bool scrub = false;
  bool review = false;
  std::optional<NicName> probe;
  ImdsOptions imds;
};

constexpr std::size_t kMaxLogs = 200;
constexpr std::size_t kMaxCapturedLog = 64U << 20;
constexpr std::size_t kMaxExcerpts = 48U << 20;  // memory of the logs for the bundle

struct NamedLog {
  std::string name;
  std::unique_ptr<ByteSource> source;
  bool is_kernel_log = false;
};

// Continues a note with the verdict of check on a VM that Azure may move to a host with MANA.
std::string forecast_of(const host::Facts& facts) {
  auto options = check_options_for(facts, 1);
  options.forecast = true;
  const auto report = diag::run_checks(facts, options, {});
  if (!facts.is_on_azure() || !report) return "; most checks do not apply";
  return "; 'manactl check': " + readiness_text(facts, *report, options);
}

class DoctorCommand {
 public:
  DoctorCommand(DoctorOptions options, Context& context)
      : options_(std::move(options)), context_(context) {}

  Exit run();

 private:
  void declare_files();
  Result<> open_logs(const os::System& system, const os::Files& unrecorded);
  Result<> open_bundled_logs(const os::Files& files);
  Result<> open_kernel_log(const os::System& system);
  Result<> read_logs();
  Result<> read_log(const NamedLog& log);
  Result<> refuse_empty_logs();
  void diagnose(const host::Facts& facts);
  Result<> write_bundle(host::SystemRecorder& recording, const host::Facts& facts, Exit exit);
  DoctorResult result() const;
  void print_result(Exit exit);
  Exit exit_code() const;

  DoctorOptions options_;
  Context& context_;
  std::vector<NamedLog> logs_;
  std::optional<diag::SignatureSet> signatures_;  // `reports_` points into it
  std::vector<diag::LogReport> reports_;
  std::map<std::string, std::string> excerpts_;  // log excerpts for the bundle, by file name
  Budget excerpts_budget_{"the log text of the bundle", kMaxExcerpts};
  std::optional<datapath::ProbeReport> probe_;
  diag::Report checks_;
  bool has_mana_ = false;
  diag::Diagnosis diagnosis_;
  std::vector<std::string> notes_;
};

// Declares the files that are opened after confine(). For a bundle of this machine, the recorder
// reads more of its files; logs are open by then.
void DoctorCommand::declare_files() {
  auto& files = context_.sandbox;
  if (!context_.root.empty()) files.read = options_.logs;
  if (options_.bundle.empty()) return;
  if (const auto file = split_file_path(options_.bundle)) files.write = {file->directory};
  if (context_.root.empty()) files.read = {"/"};
}

// The bundle gets excerpts of the logs, so the logs are read from `unrecorded` files.
Result<> DoctorCommand::open_logs(const os::System& system, const os::Files& unrecorded) {
  for (const auto& path : options_.logs) {
    auto source = open_input(path);
    if (!source) return tl::unexpected<Error>(explain_log_error(source.error(), path));
    auto text = std::make_unique<TextSource>(host::decompressed(std::move(*source)), path);
    logs_.push_back({path, std::move(text)});
  }
  const bool only_captured = !context_.root.empty() && options_.logs.empty();
  if (only_captured) {
    auto good = open_bundled_logs(unrecorded);
    if (!good) return good;
  }
  if (options_.kernel_log) return open_kernel_log(system);
  // A bundle without a kernel log is not an error.
  if (only_captured) (void)open_kernel_log(system);
  return {};
}

Result<> DoctorCommand::open_bundled_logs(const os::Files& files) {
  const auto names = files.list("logs");
  if (!names) return {};
  for (const auto& name : *names) {
    const std::string path = "logs/" + name;
    logs_.push_back({path, os::open_stream(files, path, kMaxCapturedLog)});
  }
  return {};
}

Result<> DoctorCommand::open_kernel_log(const os::System& system) {
  auto source = system.kernel_log.open();
  if (!source) {
    auto error = source.error();
    if (error.code == Errc::denied) {
      error.message += "; run as root, or use 'sudo dmesg | manactl doctor --log -'";
    }
    return tl::unexpected<Error>(std::move(error));
  }
  logs_.push_back({"kernel log", std::move(*source), true});
  return {};
}

Result<> DoctorCommand::read_logs() {
  if (logs_.empty()) return {};
  auto signatures = diag::SignatureSet::load();
  if (!signatures) return because(signatures.error(), "cannot load the built-in signatures");
  signatures_.emplace(std::move(*signatures));
  if (logs_.size() > kMaxLogs) {
    return fail(
        Errc::invalid,
        fmt::format("there are {} logs, more than the limit of {}", logs_.size(), kMaxLogs));
  }
  for (const auto& log : logs_) {
    auto read = read_log(log);
    if (!read) return read;
  }
  return refuse_empty_logs();
}

// An empty log shows nothing. If there is nothing else to analyze, the wrong file was probably
// named.
Result<> DoctorCommand::refuse_empty_logs() {
  const auto is_empty = [](const auto& log) { return log.lines == 0; };
  const bool only_empty = std::ranges::all_of(reports_, is_empty);
  for (std::size_t i = 0; i < options_.logs.size(); ++i) {
    if (reports_[i].lines > 0) continue;
    auto text = fmt::format("the log '{}' is empty", options_.logs[i]);
    if (only_empty && context_.root.empty()) return fail(Errc::invalid, std::move(text));
    notes_.push_back(std::move(text));
  }
  return {};
}

Result<> DoctorCommand::read_log(const NamedLog& log) {
  ExcerptSource excerpt(*log.source);
  ByteSource& source = options_.bundle.empty() ? *log.source : excerpt;
  auto report = diag::read_log(source, log.name, *signatures_);
  if (!report) return tl::unexpected<Error>(report.error());
  reports_.push_back(std::move(*report));
  // SystemRecorder already records the kernel log for the bundle.
  if (options_.bundle.empty() || log.is_kernel_log) return {};
  auto text = excerpt.excerpt();
  auto charged = excerpts_budget_.charge(text.size());
  if (!charged) return charged;
  excerpts_[excerpt_name(excerpts_.size() + 1, log.name)] = std::move(text);
  return {};
}

void DoctorCommand::diagnose(const host::Facts& facts) {
  if (probe_ && probe_->simulated) {
    notes_.emplace_back("the software adapter was probed; this machine was not checked");
    diagnosis_ = diag::diagnose(checks_, reports_);
    return;
  }
  const auto* const ticket = context_.root.empty() ? find_ticket(reports_, notes_) : nullptr;
  if (ticket != nullptr) {
    checks_ = ticket->checks;
    diagnosis_ = diag::diagnose(checks_, reports_, ticket->observations);
    return;
  }
  has_mana_ = facts.has_mana();
  auto report = diag::run_checks(facts, check_options_for(facts, 1), {});
  if (report) checks_ = std::move(*report);
  // The log may come from another machine, so ignore the checks if this machine has no MANA. A
  // captured machine was named together with the log.
  const bool only_logs = !reports_.empty() && !has_mana_ && context_.root.empty();
  if (only_logs) {
    notes_.emplace_back(diag::first_causes(checks_).empty()
                            ? "this machine has no MANA, so only the log was analyzed"
                            : "this machine has no MANA, so only the log was analyzed; 'manactl "
                              "doctor' without a log "
                              "shows why MANA is missing");
    checks_ = {};
    diagnosis_ = diag::diagnose(checks_, reports_);
    return;
  }
  diagnosis_ = diag::diagnose(checks_, reports_, diag::observations_of(facts));
  if (has_mana_) return;
  if (!reports_.empty()) {
    notes_.emplace_back("the captured machine has no MANA; the log may be from another machine");
  } else if (!diagnosis_.root) {
    notes_.push_back("no MANA adapter was found" + forecast_of(facts));
  }
}

DoctorResult DoctorCommand::result() const {
  DoctorResult result{diagnosis_, checks_, {}, notes_, probe_ ? &*probe_ : nullptr};
  const bool is_captured = !context_.root.empty() && options_.logs.empty();
  if (is_captured && host::compression_of(context_.root)) result.bundle = context_.root;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    const auto& log = reports_[i];
    result.logs.push_back({logs_[i].name,
                           log.lines,
                           log.dpdk_release,
                           log.runs,
                           log.more_runs,
                           log.nics,
                           log.last_time,
                           is_captured});
    result.logs.back().outputs = log.ticket.outputs;
    result.logs.back().unused = log.ticket.unused;
  }
  return result;
}

// The report in the bundle has no completed hints: they contain paths of this machine.
void DoctorCommand::print_result(Exit exit) {
  const CommandHints hints(context_);
  hints.complete(diagnosis_);
  hints.complete(notes_);
  auto printed = result();
  printed.hints = hints;
  context_.json ? print_json(context_.out.stream(), printed, exit)
                : print_text(context_.out, printed, context_.verbosity);
}

Exit DoctorCommand::exit_code() const {
  const Exit probed = probe_ ? exit_of(*probe_) : Exit::ok;
  if (probed != Exit::ok) return probed;
  const auto& verdict = diagnosis_.verdict;
  if (diagnosis_.root || (verdict && is_failure(verdict->answer))) return Exit::findings;
  // The log of another machine may be about MANA.
  const bool lacks_mana_log = !verdict || verdict->answer == diag::Answer::not_mana;
  return lacks_mana_log && !has_mana_ && !probe_ ? Exit::unsupported : Exit::ok;
}

Result<> DoctorCommand::write_bundle(host::SystemRecorder& recording,
                                     const host::Facts& facts,
                                     Exit exit) {
  std::ostringstream report;
  print_json(report, result(), exit);
  host::BundleOptions bundle{options_.scrub, excerpts_};
  bundle.extra["manactl/report.json"] = report.str();
  if (facts.metadata) bundle.extra[host::kMetadataFile] = host::metadata_json(*facts.metadata);
  const auto contents = host::bundle_contents(recording, bundle);
  // Every failure to write the result has the same exit code.
  if (!contents) {
    return fail(Errc::io,
                because(contents.error(), fmt::format("cannot write bundle '{}'", options_.bundle))
                    .value()
                    .message);
  }
  if (options_.review && !review_bundle(context_, *contents, options_.bundle)) return {};
  const auto written = host::write_bundle(contents->tree, options_.bundle);
  if (!written) return fail(Errc::io, written.error().message);
  print_bundle_note(context_,
                    fmt::format("the bundle was written to '{}'; its files by directory: {}",
                                options_.bundle,
                                contents_of(contents->tree)),
                    options_.scrub);
  return {};
}

Exit DoctorCommand::run() {
  if (options_.scrub && options_.bundle.empty()) {
    return report_usage_error(context_, "doctor: --scrub requires --bundle");
  }
  if (options_.review && (!options_.scrub || context_.json)) {
    return report_usage_error(context_,
                              options_.scrub ? "doctor: --review cannot be used with --json"
                                             : "doctor: --review requires --bundle and --scrub");
  }
  const auto objection = objection_to_bundle(options_.bundle);
  if (!objection.empty()) return report_usage_error(context_, "doctor: " + objection);
  if (options_.machines.size() > (context_.root.empty() ? 1U : 0U)) {
    return report_usage_error(context_, "doctor: only one captured machine can be inspected");
  }
  if (!options_.machines.empty()) context_.root = options_.machines.front();
  if (options_.probe && !context_.root.empty()) {
    return report_usage_error(context_, "doctor: --probe cannot be used with --root");
  }
  const auto refused = refuse_imds(options_.imds, "doctor", context_);
  if (!refused) return report_usage_error(context_, refused.error().message);
  for (const auto& path : extract_repeated(options_.logs)) {
    notes_.push_back(fmt::format("the log '{}' is given more than once; it is read once", path));
  }
  declare_files();
  auto system = context_.system();
  if (!system) return report_error(context_, system.error());
  std::unique_ptr<host::SystemRecorder> recording;
  if (!options_.bundle.empty()) recording = host::start_recording(*system);
  const os::System inspected = recording ? recording->system() : *system;
  auto good = open_logs(inspected, system->files);
  if (!good) return report_error(context_, good.error());
  const auto facts = gather_check_facts(inspected, context_.root, options_.imds.asked_address());
  const bool is_plain = logs_.empty() && !options_.probe && options_.bundle.empty();
  const bool adds_kernel_log = context_.root.empty() && is_plain && facts.has_mana();
  if (adds_kernel_log) {
    const auto opened = open_kernel_log(inspected);
    if (!opened) notes_.push_back("the kernel log was not read: " + opened.error().message);
  }
  if (options_.probe) {
    auto probed = probe_interface(
        options_.probe->str(), inspected, facts, journal_entries(inspected, context_));
    if (!probed) return report_error(context_, because(probed.error(), "doctor --probe").value());
    probe_ = std::move(*probed);
  }
  confine(context_);  // the rest parses logs, which others may have written
  good = read_logs();
  if (!good) return report_error(context_, good.error());
  diagnose(facts);
  // If nobody asked for the log, what worked earlier does not matter beside a cause.
  auto& verdict = diagnosis_.verdict;
  const bool only_worked = verdict && verdict->answer == diag::Answer::works;
  if (adds_kernel_log && only_worked && diagnosis_.root) verdict.reset();
  const Exit exit = exit_code();
  if (recording) {
    const auto written = write_bundle(*recording, facts, exit);
    if (!written) return report_error(context_, written.error());
  }
  if (options_.review) return exit;  // the bundle was printed instead
  print_result(exit);
  return exit;
}

Result<> add_path(std::vector<std::string>& paths, const std::string& text) {
  auto path = parse_text(text, "a path");
  if (!path) return tl::unexpected<Error>(path.error());
  paths.push_back(std::move(*path));
  return {};
}

}  // namespace

CommandAction add_doctor(CLI::App& app) {
  auto options = std::make_shared<DoctorOptions>();
  const auto path = [](std::string_view text) { return parse_text(text, "a path"); };
  add_value(app,
            {"--log", type::kFile, "analyze this log ('-' for standard input)", true},
            [options](const std::string& text) { return add_path(options->logs, text); });
  add_value(app,
            {"FILE", type::kFile, "analyze this log, or inspect this bundle", true},
            [options](const std::string& text) {
              return add_path(names_captured_machine(text) ? options->machines : options->logs,
                              text);
            })
      ->allow_extra_args(true);
  add_flag(app, "--kernel-log", options->kernel_log, "also analyze the kernel log");
  add_value(app,
            {"--bundle", type::kFile, "write facts, report and logs to this file (.tar.gz)"},
            store_in(options->bundle, path));
  add_flag(app, "--scrub", options->scrub, "replace addresses, names and secrets in the bundle");
  add_flag(app, "--review", options->review, "show the scrubbed bundle before it is written");
  add_value(app,
            {"--probe", type::kInterface, "try direct verbs on this NIC (sends no packets)"},
            store_in(options->probe, NicName::parse));
  add_imds(app, options->imds);
  return [options](Context& context) { return DoctorCommand(*options, context).run(); };
}

}  // namespace manactl::cli
