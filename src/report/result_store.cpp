// SPDX-License-Identifier: MIT

#include "report/result_store.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "report/figures.h"

namespace manactl::report {
namespace {

constexpr std::string_view kSuffix = ".json";

bool is_all(std::string_view text, std::string_view of) {
  return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
}

std::string file_of(std::string_view id) {
  return std::string(id) + std::string(kSuffix);
}

}  // namespace

ResultStore::ResultStore(std::string directory, std::uint64_t max_bytes)
    : max_bytes_(max_bytes),
      files_(os::open_durable_directory(std::move(directory), os::DirectoryAccess::owner_only)) {}

Result<> ResultStore::test() {
  constexpr std::string_view kFile = "write-test";
  const auto written = files_->replace(kFile, "");
  return written ? files_->remove(kFile) : written;
}

Result<std::vector<std::string>> ResultStore::ids() const {
  const auto names = files_->list();
  if (!names) return tl::unexpected<Error>(names.error());
  std::vector<std::string> ids;
  for (const auto& name : *names) {
    if (!name.ends_with(kSuffix)) continue;
    auto id = name.substr(0, name.size() - kSuffix.size());
    if (is_result_id(id)) ids.push_back(std::move(id));
  }
  std::sort(ids.begin(), ids.end(), std::greater<>());
  return ids;
}

Result<std::string> ResultStore::read(std::string_view id) const {
  // The id becomes a file name. It comes from the user, so check it.
  if (!is_result_id(id))
    return fail(Errc::invalid, fmt::format("'{}' is not the id of a result", printable(id)));
  auto text = files_->read(file_of(id));
  if (!text && text.error().code == Errc::not_found) {
    return fail(Errc::invalid, fmt::format("no result '{}' is saved", id));
  }
  return text;
}

Result<> ResultStore::remove(std::string_view id) {
  const auto all = ids();
  if (!all) return tl::unexpected<Error>(all.error());
  if (std::find(all->begin(), all->end(), id) == all->end()) {
    return fail(Errc::invalid, fmt::format("no result '{}' is saved", printable(id)));
  }
  return files_->remove(file_of(id));
}

Result<> ResultStore::save(std::string_view id, std::string_view text) {
  auto written = files_->create(file_of(id), text);
  if (!written) return written;
  const auto all = ids();
  if (!all) return tl::unexpected<Error>(all.error());
  std::uint64_t bytes = text.size();
  std::size_t left = 1;
  for (const auto& one : *all) {
    const auto file = file_of(one);
    if (one == id) continue;
    // A result whose size cannot be read counts as large enough to be removed.
    bytes += files_->size(file).value_or(max_bytes_);
    if (++left <= kMaxResults && bytes <= max_bytes_) continue;
    auto removed = files_->remove(file);
    if (!removed) return removed;
  }
  return {};
}

std::string result_id(std::time_t now, std::uint64_t process) {
  auto date = utc_text(static_cast<double>(now));
  date.resize(std::string_view("2026-11-21T13:47:02").size());
  std::erase_if(date, [](char c) { return c == '-' || c == ':'; });
  std::replace(date.begin(), date.end(), 'T', '-');
  return fmt::format("{}-{:04x}", date, process);
}

bool is_result_id(std::string_view text) {
  const auto parts = split(text, '-');
  constexpr std::string_view kDigits = "0123456789";
  return parts.size() == 3 && parts[0].size() == 8 && is_all(parts[0], kDigits) &&
         parts[1].size() == 6 && is_all(parts[1], kDigits) && parts[2].size() >= 4 &&
         parts[2].size() <= 16 && is_all(parts[2], "0123456789abcdef");
}

Result<std::optional<std::string>> find_id(const std::vector<std::string>& ids,
                                           std::string_view prefix) {
  if (prefix == kLatest) return ids.empty() ? std::nullopt : std::optional(ids.front());
  std::optional<std::string> found;
  for (const auto& id : ids) {
    if (prefix.empty() || !id.starts_with(prefix)) continue;
    if (found) {
      return fail(Errc::invalid,
                  fmt::format("several saved results begin with '{}', such as {} and {}",
                              printable(prefix),
                              *found,
                              id));
    }
    found = id;
  }
  return found;
}

std::string results_directory(unsigned uid, std::string_view state_home) {
  if (uid == 0) return "/var/lib/manactl/results";
  return state_home.empty() ? std::string() : std::string(state_home) + "/manactl/results";
}

}  // namespace manactl::report
