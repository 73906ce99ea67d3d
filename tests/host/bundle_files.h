// SPDX-License-Identifier: MIT
//
// A temporary directory for bundles.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace manactl::host {

class Directory {
 public:
  Directory() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-bundle-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }

  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  ~Directory() { std::filesystem::remove_all(path_); }

  std::string at(const std::string& name) const { return path_ / name; }

  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace manactl::host
