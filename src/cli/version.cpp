// SPDX-License-Identifier: MIT

#include "cli/version.h"

#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "datapath/bench.h"
#include "datapath/engines.h"

namespace manactl::embedded {
extern const std::string_view components;
}

namespace manactl::cli {
namespace {

// Returns the versions of the headers. The shared libraries loaded at run time may be newer.
std::vector<std::pair<std::string, std::string>> library_versions() {
  return {
      {"cli11", CLI11_VERSION},
      {"fmt", MANACTL_FMT_VERSION},
      {"libarchive", MANACTL_ARCHIVE_VERSION},
      {"libcurl", MANACTL_CURL_VERSION},
      {"libibverbs", MANACTL_IBVERBS_VERSION},
      {"libkmod", MANACTL_KMOD_VERSION},
      {"libnl", MANACTL_NL_VERSION},
      {"libudev", MANACTL_UDEV_VERSION},
      {"nlohmann-json", MANACTL_JSON_VERSION},
      {"re2", MANACTL_RE2_VERSION},
      {"tl-expected", MANACTL_EXPECTED_VERSION},
  };
}

// Returns the libraries whose code is in the program, with their licenses.
nlohmann::ordered_json components() {
  auto list = nlohmann::ordered_json::array();
  for (const auto& component : nlohmann::json::parse(embedded::components)) {
    list.push_back({{"name", component["name"]},
                    {"version", component["version"]},
                    {"license", component["license"]}});
  }
  return list;
}

}  // namespace

std::string_view version() {
  return MANACTL_VERSION;
}

void print_version_text(Screen& screen) {
  const auto engine = datapath::kDpdkEngine.info();
  screen.stream() << "manactl " << version();
  if (!engine.version.empty()) screen.stream() << " (DPDK " << engine.version << ')';
  screen.stream() << '\n';
}

void print_version_json(Screen& screen) {
  const auto engine = datapath::kDpdkEngine.info();
  nlohmann::ordered_json json;
  json["schema"] = "manactl.version/1";
  json["manactl"] = version();
  json["dpdk"] = {
      {"version", engine.version}, {"linkage", engine.linkage}, {"drivers", engine.drivers}};
  for (const auto& [name, number] : library_versions()) json["libraries"][name] = number;
  json["components"] = components();
  json["compiler"] = MANACTL_COMPILER;
  json["build"] = MANACTL_BUILD_TYPE;
  screen.stream() << json.dump(2) << '\n';
}

}  // namespace manactl::cli
