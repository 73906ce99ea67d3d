// SPDX-License-Identifier: MIT
//
// Runs manactl on a captured machine of tests/fixtures.

#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test {

inline Outcome manactl_on(const char* machine, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--root", fixture(machine)});
  return manactl(arguments);
}

// A copy of a captured VM, which the test changes.
class CopiedVm {
 public:
  explicit CopiedVm(const std::string& name) : tree_(folder_.path(name)) {
    std::filesystem::copy(
        fixture(name),
        tree_,
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  }

  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories((tree_ / path).parent_path());
    std::ofstream(tree_ / path) << text << '\n';
  }

  void remove(const std::filesystem::path& path) const { std::filesystem::remove(tree_ / path); }

  std::string path(const std::string& name) const { return (tree_ / name).string(); }

  Outcome run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--root", tree_.string()});
    return manactl(words);
  }

 private:
  TemporaryDirectory folder_;
  std::filesystem::path tree_;
};

}  // namespace manactl::test
