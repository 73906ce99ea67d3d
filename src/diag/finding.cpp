// SPDX-License-Identifier: MIT

#include "diag/finding.h"

namespace manactl::diag {

std::string_view name_of(Status status) {
  switch (status) {
    case Status::pass:
      return "pass";
    case Status::warn:
      return "warn";
    case Status::fail:
      return "fail";
    case Status::skipped:
      return "skipped";
    case Status::unknown:
      return "unknown";
  }
  return "unknown";
}

Finding pass(std::string detail, std::vector<std::string> evidence) {
  return {Status::pass, std::move(detail), std::nullopt, std::move(evidence)};
}

Finding warn(std::string detail, Remedy remedy, std::vector<std::string> evidence) {
  return {Status::warn, std::move(detail), std::move(remedy), std::move(evidence)};
}

Finding fail(std::string detail, Remedy remedy, std::vector<std::string> evidence) {
  return {Status::fail, std::move(detail), std::move(remedy), std::move(evidence)};
}

Finding skipped(std::string because) {
  return {Status::skipped, std::move(because), std::nullopt, {}};
}

Finding unknown(std::string because) {
  return {Status::unknown, std::move(because), std::nullopt, {}};
}

}  // namespace manactl::diag
