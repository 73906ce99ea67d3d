// SPDX-License-Identifier: MIT

#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/trusted_directory.h"
#include "cli/bench/ab_rounds.h"
#include "cli/bench/exit.h"
#include "cli/bench/render_bench.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Words = std::vector<std::string>;

struct BenchAbOptions {
  report::AbPlan plan;
  std::string program_a, program_b;  // empty: this program
  Words words;                       // COMMON, A and B with "--" between them
  bool strict = false;
  std::optional<Output> output;
};

// Splits the words at each "--" into COMMON, A and B. Missing parts are empty.
Result<std::vector<Words>> split_sections(const Words& words) {
  constexpr std::size_t kSections = 3;
  std::vector<Words> sections(1);
  for (const auto& word : words) {
    if (word == "--") {
      sections.emplace_back();
    } else {
      sections.back().push_back(word);
    }
  }
  if (sections.size() > kSections) {
    return fail(Errc::invalid, "more than three '--'; use: manactl bench ab -- COMMON -- A -- B");
  }
  sections.resize(kSections);
  return sections;
}

// Returns the path of this program, or checks that no other user could have replaced `program`.
Result<std::string> program_path(Context& context, const std::string& program) {
  if (!program.empty()) {
    const auto trusted = open_trusted_file(program, O_PATH);
    if (!trusted && trusted.error().code == Errc::not_found) {
      return fail(Errc::invalid, trusted.error().message);
    }
    if (!trusted) return tl::unexpected<Error>(trusted.error());
    return program.find('/') == std::string::npos ? "./" + program : program;
  }
  const auto system = context.system();
  if (!system) return tl::unexpected<Error>(system.error());
  return system->files.link_target("proc/self/exe");
}

Result<Words> command_of(Context& context,
                         const std::string& program,
                         const Words& common,
                         const Words& own) {
  auto path = program_path(context, program);
  if (!path) return tl::unexpected<Error>(path.error());
  Words command = {std::move(*path), "bench"};
  command.insert(command.end(), common.begin(), common.end());
  command.insert(command.end(), own.begin(), own.end());
  for (const auto* const option : {"--results", "--label"}) {
    if (!is_typed(command, option)) continue;
    return fail(Errc::invalid,
                fmt::format("the results of the runs are not saved: omit {}", option));
  }
  for (const auto* const option : {"-o", "--output", "-j", "--json"}) {
    if (!is_typed(command, option)) continue;
    return fail(Errc::invalid,
                fmt::format("the runs print no results: {} belongs before the first '--'", option));
  }
  return command;
}

Exit run_ab(const BenchAbOptions& options, Context& context) {
  if (!context.root.empty())
    return report_usage_error(context, "bench ab: --root is not supported");
  const auto output = output_of(context, options.output);
  if (!output) return refuse(context, "bench ab", output.error());
  if (options.words.empty() && options.program_a.empty() && options.program_b.empty()) {
    return report_usage_error(
        context,
        "bench ab: nothing to compare: use 'bench ab -- COMMON -- A -- B', or --program-b");
  }
  const auto sections = split_sections(options.words);
  if (!sections) return refuse(context, "bench ab", sections.error());
  report::AbResult result;
  result.plan = options.plan;
  auto a = command_of(context, options.program_a, sections->at(0), sections->at(1));
  if (!a) return refuse(context, "bench ab", a.error());
  auto b = command_of(context, options.program_b, sections->at(0), sections->at(2));
  if (!b) return refuse(context, "bench ab", b.error());
  result.a.command = std::move(*a);
  result.b.command = std::move(*b);
  if (result.a.command == result.b.command) {
    print_note(context,
               "A and B run the same command, which measures only noise; 'bench ab -- COMMON -- A "
               "-- B' gives each its options");
  }
  if (const auto failed = run_rounds(context, result)) return *failed;
  const auto exit = exit_of(result, options.strict);
  if (*output == Output::json) {
    context.out.stream() << report::ab_json(result, version(), static_cast<int>(exit));
  } else {
    print_text(context.out, result, context.verbosity);
  }
  return exit;
}

ValueHandler path_into(std::string& target) {
  return store_in(target, [](std::string_view text) { return parse_text(text, "a path"); });
}

}  // namespace

CommandAction add_bench_ab(CLI::App& app) {
  auto options = std::make_shared<BenchAbOptions>();
  auto& plan = options->plan;
  add_value(app,
            {"--rounds", "N", "measure at most N rounds of A and B, 6 to 100 (default: 10)"},
            store_in(plan.max_rounds, [](std::string_view text) {
              return parse_count(text, datapath::kMinPairs, 100);
            }));
  add_value(app,
            {"--precision", "PERCENT", "stop at a confidence interval of this width (default: 2)"},
            store_in(plan.precision, parse_share));
  add_value(app,
            {"--threshold", "PERCENT", "ignore smaller differences (default: 2)"},
            store_in(plan.threshold, parse_share));
  add_value(app,
            {"--metric", type::kMetric, "base the verdict on this metric (default: rate)"},
            store_word_in(plan.metric, report::kMetrics));
  add_value(app,
            {"--program-a", type::kFile, "run this manactl for A (default: this program)"},
            path_into(options->program_a));
  add_value(app,
            {"--program-b", type::kFile, "run this manactl for B (default: this program)"},
            path_into(options->program_b));
  add_flag(app, "--strict", options->strict, "exit with 1 also if the comparison is inconclusive");
  add_output(app, type::kTextOutput, options->output);
  add_value(app,
            {std::string(type::kBenchOption),
             type::kBenchOption,
             "options of bench: COMMON -- A -- B",
             true},
            [options](const std::string& text) -> Result<> {
              options->words.push_back(text);
              return {};
            })
      ->allow_extra_args(true);
  return [options](Context& context) { return run_ab(*options, context); };
}

}  // namespace manactl::cli
