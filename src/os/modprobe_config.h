// SPDX-License-Identifier: MIT
//
// Finds the file that prevents modprobe(8) from loading a module: a file of modprobe.d(5), or
// proc/cmdline for the kernel command line. Works on captured trees as well, without libkmod.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

// Replaces '-' in the name of a module by '_': the kernel treats both as equal.
std::string module_key(std::string_view name);

// True if an install command of modprobe.d with this program ("true" or "false") prevents loading.
bool is_refusal_program(std::string_view program);

// The text of a file of modprobe.d(5) with continued lines joined: without each backslash at the
// end of a line, and without the newline after it.
std::string joined_lines(std::string_view text);

// The configuration below the directories of modprobe.d(5), and the kernel command line.
class ModprobeConfig {
 public:
  static constexpr std::size_t kMaxModules = 10'000;  // Linux 6.12 has about 6000

  explicit ModprobeConfig(const Files& files);  // reads all files

  // The file that blacklists the module or prevents loading it by an install command; empty if
  // modprobe would load the module. Fails if a file before that one cannot be read, or if there are
  // kMaxModules before it.
  Result<std::optional<std::string>> blocking_file(std::string_view name) const;

 private:
  Result<> read(const Files& files);
  Result<> add(std::string_view name, const std::string& path);
  Result<> add_file(std::string_view text, const std::string& path);
  Result<> add_command_line(std::string_view text);

  std::map<std::string, std::string, std::less<>> blocking_files_;  // by module_key()
  Result<> complete_;
};

}  // namespace manactl::os
