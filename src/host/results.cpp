// SPDX-License-Identifier: MIT

#include "host/results.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::host {
namespace {

constexpr std::string_view kSuffix = ".json";

bool is_all(std::string_view text, std::string_view of) {
  return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
}

std::string file_of(std::string_view id) {
  return std::string(id) + std::string(kSuffix);
}

}  // namespace

Results::Results(std::string directory, std::uint64_t most_bytes)
    : most_bytes_(most_bytes),
      files_(os::open_durable(std::move(directory), os::Secrecy::ours_alone)) {}

Result<std::vector<std::string>> Results::ids() const {
  const auto names = files_->list();
  if (!names) return tl::unexpected<Error>(names.error());
  std::vector<std::string> ids;
  for (const auto& name : *names) {
    if (!name.ends_with(kSuffix)) continue;
    auto id = name.substr(0, name.size() - kSuffix.size());
    if (is_result_id(id)) ids.push_back(std::move(id));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Result<std::string> Results::read(std::string_view id) const {
  // The id becomes a file name, and the user typed it.
  if (!is_result_id(id))
    return fail(Errc::invalid, fmt::format("'{}' is no id", printable(id, 60)));
  auto text = files_->read(file_of(id));
  if (!text && text.error().code == Errc::not_found) {
    return fail(Errc::invalid, fmt::format("there is no result '{}'", id));
  }
  return text;
}

Result<> Results::keep(std::string_view id, std::string_view text) {
  auto written = files_->replace(file_of(id), text);
  if (!written) return written;
  const auto all = ids();
  if (!all) return tl::unexpected<Error>(all.error());
  std::uint64_t bytes = text.size();
  std::size_t left = 1;
  for (auto one = all->rbegin(); one != all->rend(); ++one) {
    const auto file = file_of(*one);
    if (*one == id) continue;
    // One that cannot be read any more is not worth its place.
    bytes += files_->size(file).value_or(most_bytes_);
    if (++left <= kMost && bytes <= most_bytes_) continue;
    auto removed = files_->remove(file);
    if (!removed) return removed;
  }
  return {};
}

std::string result_id(std::time_t now, std::uint64_t process) {
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}-{:04x}",
                     utc.tm_year + 1900,
                     utc.tm_mon + 1,
                     utc.tm_mday,
                     utc.tm_hour,
                     utc.tm_min,
                     utc.tm_sec,
                     process);
}

bool is_result_id(std::string_view text) {
  const auto parts = split(text, '-');
  constexpr std::string_view kDigits = "0123456789";
  return parts.size() == 3 && parts[0].size() == 8 && is_all(parts[0], kDigits) &&
         parts[1].size() == 6 && is_all(parts[1], kDigits) && parts[2].size() >= 4 &&
         parts[2].size() <= 16 && is_all(parts[2], "0123456789abcdef");
}

std::string results_directory(unsigned uid, std::string_view state_home) {
  if (uid == 0) return "/var/lib/manactl/results";
  return state_home.empty() ? std::string() : std::string(state_home) + "/manactl/results";
}

}  // namespace manactl::host
