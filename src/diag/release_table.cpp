// SPDX-License-Identifier: MIT

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "diag/advisor.h"

namespace manactl::embedded {
extern const std::string_view releases_json;
}  // namespace manactl::embedded

namespace manactl::diag {

namespace {

using Json = nlohmann::json;

constexpr std::array kKinds = {
    std::pair{std::string_view("required"), Fix::Kind::required},
    std::pair{std::string_view("advised"), Fix::Kind::advised},
    std::pair{std::string_view("servicing"), Fix::Kind::servicing},
    std::pair{std::string_view("other"), Fix::Kind::other},
};

constexpr std::array kApplies = {
    std::pair{std::string_view("always"), Fix::Applies::always},
    std::pair{std::string_view("arm64"), Fix::Applies::arm64},
    std::pair{std::string_view("manae"), Fix::Applies::manae},
    std::pair{std::string_view("pf"), Fix::Applies::pf},
    std::pair{std::string_view("jumbo"), Fix::Applies::jumbo},
};

template <class Table>
auto word(const Table& table, const Json& value) {
  const auto& text = value.get_ref<const std::string&>();
  for (const auto& [name, meaning] : table) {
    if (name == text) return meaning;
  }
  throw std::invalid_argument("unknown word '" + text + "'");
}

Release release(const Json& value) {
  const auto parsed = Release::parse(value.get_ref<const std::string&>());
  if (!parsed) throw std::invalid_argument(parsed.error().message);
  return *parsed;
}

Fix::Since since(const Json& value) {
  if (value.is_null()) return {false, 0};
  if (value.is_string()) return {true, 0};  // not applicable: nothing is missing
  return {true, value.get<unsigned>()};
}

Fix fix(const Json& row, std::size_t lines) {
  Fix fix;
  fix.driver = row.at("driver").get<std::string>();
  fix.what = row.at("what").get<std::string>();
  fix.commits = row.at("commits").get<std::string>();
  fix.kind = word(kKinds, row.at("kind"));
  fix.applies = word(kApplies, row.at("applies"));
  fix.main = release(row.at("main"));
  for (const Json& value : row.at("lts")) fix.lts.push_back(since(value));
  if (fix.lts.size() != lines) throw std::invalid_argument("'lts' and 'lines' differ in length");
  return fix;
}

}  // namespace

Result<ReleaseTable> parse_release_table(std::string_view json) {
  try {
    const Json document = Json::parse(json);
    ReleaseTable table;
    table.as_of = document.at("as_of").get<std::string>();
    for (const Json& value : document.at("lines")) table.tips.push_back(release(value));
    for (const Json& row : document.at("fixes")) table.fixes.push_back(fix(row, table.tips.size()));
    return table;
  } catch (const std::exception& broken) {
    return manactl::fail(Errc::invalid,
                         fmt::format("the release table is broken: {}", broken.what()));
  }
}

const Result<ReleaseTable>& release_table() {
  static const Result<ReleaseTable> kTable = parse_release_table(embedded::releases_json);
  return kTable;
}

}  // namespace manactl::diag
