// SPDX-License-Identifier: MIT

#include "support/fixtures.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "host/gather.h"
#include "host/tuning.h"
#include "os/memory_files.h"

namespace manactl::test {
namespace {

const std::string kFixtures = std::string(MANACTL_SOURCE_DIR) + "/tests/fixtures";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void apply(const Edit& edit, std::map<std::string, std::string>& texts) {
  if (edit.from.empty()) {
    texts[edit.path] = edit.to;
    return;
  }
  std::string& text = texts[edit.path];
  unsigned found = 0;
  for (auto at = text.find(edit.from); at != std::string::npos; ++found) {
    text.replace(at, edit.from.size(), edit.to);
    at = text.find(edit.from, at + edit.to.size());
  }
  if (found != edit.occurrences) {
    throw std::runtime_error(fmt::format("'{}' occurs {} times in {}, but the edit requires {}",
                                         edit.from,
                                         found,
                                         edit.path,
                                         edit.occurrences));
  }
}

}  // namespace

std::string fixture(std::string_view name) {
  return fmt::format("{}/{}", kFixtures, name);
}

std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFixtures)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::unique_ptr<host::CapturedSystem> system_of(std::string_view fixture_name) {
  auto captured = host::open_captured(fixture(fixture_name));
  if (!captured) throw std::runtime_error(captured.error().message);
  return std::move(*captured);
}

std::unique_ptr<host::CapturedSystem> edited_system(std::string_view fixture_name,
                                                    const std::vector<Edit>& edits,
                                                    const SymbolicLinks& links) {
  const std::filesystem::path root = fixture(fixture_name);
  auto files = std::make_unique<os::MemoryFiles>();
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string path = entry.path().lexically_relative(root).string();
    if (entry.is_symlink()) {
      files->add_link(path, std::filesystem::read_symlink(entry.path()).string());
    } else if (entry.is_regular_file()) {
      texts[path] = text_of(entry.path());
    }
  }
  for (const auto& edit : edits) apply(edit, texts);
  for (const auto& [path, target] : links) files->add_link(path, target);
  for (auto& [path, text] : texts) files->add_file(path, std::move(text));
  auto captured = host::open_captured_files(std::move(files));
  if (!captured) throw std::runtime_error(captured.error().message);
  return std::move(*captured);
}

}  // namespace manactl::test

namespace manactl::host {

Facts facts_of(std::string_view fixture_name, const std::vector<test::Edit>& edits) {
  const auto captured =
      edits.empty() ? test::system_of(fixture_name) : test::edited_system(fixture_name, edits);
  auto facts = gather(captured->system(), SshSearch::quick, MoveForecast::include);
  if (facts.nics) gather_settings(captured->system().links, *facts.nics);
  facts.load = gather_load(captured->system(), facts);
  return facts;
}

}  // namespace manactl::host
