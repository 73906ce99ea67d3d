// SPDX-License-Identifier: MIT

#include "cli/bench_document.h"

#include "base/text.h"

namespace manactl::cli {

Result<BenchDocument> comparable(const BenchResult& result, std::string path) {
  // Fewer than four on each side can never differ by more than chance.
  constexpr std::size_t kFewest = 4;
  BenchDocument document{
      std::move(path), configuration_of(result), result.summary.rates, result.summary.noisy()};
  if (document.rates.size() >= kFewest) return document;
  const bool repeated = result.report.trials.size() > 1;
  return fail(
      Errc::invalid,
      fmt::format("'{}' has {} {}, and a comparison needs {}: {}",
                  printable(document.path, 200),
                  document.rates.size(),
                  repeated ? "trials" : "steady intervals",
                  kFewest,
                  repeated ? "repeat more often" : "a longer --duration or a shorter --interval"));
}

}  // namespace manactl::cli
