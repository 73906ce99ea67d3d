// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <sstream>

#include "base/text.h"
#include "base/trusted_directory.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/settings.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kMaxSize = 64U << 10;

Result<std::string> read_all(int file, const std::string& path) {
  std::string text(kMaxSize + 1, '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const auto got = ::read(file, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, fmt::format("cannot read '{}'", path));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return text;
}

Result<> check_section(const CLI::ConfigItem& item, const std::string& path) {
  std::vector<std::string> names;
  for (const auto& command : commands()) names.emplace_back(command.name);
  const std::string section = item.parents.front();
  const bool known = std::find(names.begin(), names.end(), section) != names.end();
  if (known && item.parents.size() == 1) return {};
  return fail(Errc::invalid,
              fmt::format("{}: unknown section '{}'{}",
                          path,
                          printable(join(item.parents, ".")),
                          suggestion(section, names)));
}

// Returns the error for a key that is not an option. CLI11 also takes a line with wrong syntax for
// a key, and does not number the lines.
Error unknown_key(std::string_view text,
                  const std::string& path,
                  const std::string& key,
                  const std::vector<std::string>& keys) {
  const auto lines = split(text, '\n');
  const auto line = std::ranges::find_if(
      lines, [&key](std::string_view one) { return trim(one).starts_with(key); });
  const auto place = line == lines.end() || key.empty()
                         ? path
                         : fmt::format("{}: line {}", path, line - lines.begin() + 1);
  if (key.starts_with('[')) {
    return {Errc::invalid, 0, fmt::format("{}: '{}' lacks a ']'", place, printable(key))};
  }
  if (line != lines.end() && line->find('=') == std::string_view::npos) {
    return {Errc::invalid, 0, fmt::format("{}: '{}' is not 'KEY = VALUE'", place, printable(key))};
  }
  return {Errc::invalid,
          0,
          fmt::format("{}: unknown key '{}'{}", place, printable(key), suggestion(key, keys))};
}

// Returns the position of the quote that ends the string at `at`; npos if the line lacks it.
std::size_t end_of_string(std::string_view line, std::size_t at) {
  const char quote = line[at];
  for (auto i = at + 1; i < line.size(); ++i) {
    if (line[i] == quote) return i;
    if (line[i] == '\\' && quote == '"') ++i;
  }
  return std::string_view::npos;
}

// Follows the arrays in the part of a line that belongs to a value; `depth` is that of the nested
// arrays. Returns false if a string has no end. CLI11 accepts strings and arrays without an end: it
// takes the following lines for elements of the array.
bool scan_value(std::string_view line, unsigned& depth) {
  bool is_start = true;  // of a value or an element; elsewhere, quotes and brackets are text
  for (std::size_t i = 0; i < line.size() && line[i] != '#'; ++i) {
    const char c = line[i];
    if (is_start && (c == '"' || c == '\'')) {
      i = end_of_string(line, i);
      if (i == std::string_view::npos) return false;
    }
    if (is_start && c == '[') ++depth;
    if (depth > 0 && c == ']') --depth;
    is_start = c == ',' || c == '[' || (is_start && (c == ' ' || c == '\t'));
  }
  return true;
}

Result<> require_closed_values(std::string_view text, const std::string& path) {
  unsigned depth = 0;
  std::size_t number = 0, array_line = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    const bool continues = depth > 0;
    const auto equals = line.find('=');
    const bool has_value = trim(line).find_first_of("#[") != 0 && equals != std::string_view::npos;
    if (!continues && !has_value) continue;
    if (!continues) array_line = number;
    if (!scan_value(continues ? line : line.substr(equals + 1), depth)) {
      return fail(Errc::invalid,
                  fmt::format("{}: line {}: the string lacks its closing quote", path, number));
    }
  }
  if (depth == 0) return {};
  return fail(Errc::invalid,
              fmt::format("{}: line {}: the array lacks its closing ']'", path, array_line));
}

// CLI11 marks the start and end of a section with items of these names.
bool is_section_marker(const CLI::ConfigItem& item) {
  return item.name == "++" || item.name == "--";
}

}  // namespace

Result<std::string> read_config_file(const std::string& path) {
  struct stat status{};

  // If the file is missing, its directories need not be trusted.
  if (lstat(path.c_str(), &status) != 0)
    return fail_errno(errno, fmt::format("cannot read '{}'", path));
  const auto file = open_trusted_file(path, O_RDONLY);
  if (!file) return because(file.error(), fmt::format("cannot use '{}'", path));
  auto text = read_all(file->get(), path);
  if (!text) return text;
  if (text->size() > kMaxSize) {
    return fail(Errc::invalid, fmt::format("cannot use '{}': it is larger than 64 KiB", path));
  }
  if (text->find('\0') != std::string::npos) {
    return fail(Errc::invalid, fmt::format("cannot use '{}': it contains a NUL byte", path));
  }
  if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  text->erase(std::remove(text->begin(), text->end(), '\r'), text->end());
  return text;
}

Result<std::vector<Setting>> parse_config(const std::string& text,
                                          const std::string& path,
                                          const std::string& command,
                                          const CLI::App& app) {
  const auto closed = require_closed_values(text, path);
  if (!closed) return tl::unexpected<Error>(closed.error());
  std::istringstream stream(text);
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& error) {
    return fail(Errc::invalid, fmt::format("{}: {}", path, error.what()));
  }
  const auto global_keys = global_setting_keys();
  const auto command_keys = setting_keys(app);
  std::vector<Setting> settings;
  for (const auto& item : items) {
    const bool in_section = !item.parents.empty();
    if (in_section) {
      auto known = check_section(item, path);
      if (!known) return tl::unexpected<Error>(known.error());
    }
    if (is_section_marker(item) || (in_section && item.parents.front() != command)) continue;
    const auto& keys = in_section ? command_keys : global_keys;
    if (std::find(keys.begin(), keys.end(), item.name) == keys.end()) {
      return tl::unexpected<Error>(unknown_key(text, path, item.name, keys));
    }
    // CLI11 merges repeated keys into one item with several inputs.
    const auto* option = app.get_option_no_throw("--" + item.name);
    if (option != nullptr && item.inputs.size() > 1 && option->get_items_expected_max() <= 1) {
      return fail(Errc::invalid, fmt::format("{}: key '{}' is given twice", path, item.name));
    }
    settings.push_back({"--" + item.name, item.inputs, path});
  }
  return settings;
}

}  // namespace manactl::cli
