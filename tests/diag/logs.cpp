// SPDX-License-Identifier: MIT

#include "diag/logs.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/text.h"

namespace manactl::diag::test {

TextSource::TextSource(std::string text, std::size_t piece)
    : text_(std::move(text)), piece_(piece) {}

Result<std::size_t> TextSource::read(std::span<char> into) {
  const auto count = std::min({into.size(), piece_, text_.size() - at_});
  std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
  at_ += count;
  return count;
}

const SignatureSet& signatures() {
  static const SignatureSet set = [] {
    auto loaded = SignatureSet::load();
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return std::move(*loaded);
  }();
  return set;
}

std::string sample(const std::string& name) {
  std::ifstream file(std::string(MANACTL_SOURCE_DIR) + "/tests/logs/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read tests/logs/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

LogReport read_text(const std::string& text, std::size_t piece) {
  TextSource source(text, piece);
  auto report = read_log(source, "test.log", signatures());
  if (!report) throw std::runtime_error(report.error().message);
  return std::move(*report);
}

Diagnosis diagnose_text(const std::string& text) {
  return diagnose(Report{}, {read_text(text)});
}

std::string root_id(const Diagnosis& diagnosis) {
  return diagnosis.root ? diagnosis.root->id : std::string();
}

std::vector<std::string> ids(const std::vector<Diagnosis::Item>& items) {
  std::vector<std::string> found;
  for (const auto& item : items) found.push_back(item.id);
  return found;
}

std::string wrap(std::string_view text, std::string_view before, std::string_view after) {
  std::string wrapped;
  for (const auto line : split(text, '\n')) {
    if (line.empty()) continue;
    wrapped.append(before).append(line).append(after).append("\n");
  }
  return wrapped;
}

}  // namespace manactl::diag::test
