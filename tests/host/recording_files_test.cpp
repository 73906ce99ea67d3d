// SPDX-License-Identifier: MIT

#include "host/recording_files.h"

#include <gtest/gtest.h>

#include <string>

#include "os/memory_files.h"

namespace manactl::host::recording_files_test {
namespace {

// Counts how often a link is looked up: the recorder keeps each reply.
class CountingFiles final : public os::Files {
 public:
  explicit CountingFiles(os::Files& files) : files_(files) {}

  Result<std::string> read(std::string_view path, std::size_t max_bytes) const override {
    return files_.read(path, max_bytes);
  }

  Result<std::string> link_target(std::string_view path) const override {
    ++lookups;
    return files_.link_target(path);
  }

  Result<std::vector<std::string>> list(std::string_view dir) const override {
    return files_.list(dir);
  }

  Result<os::Node> node(std::string_view path) const override { return files_.node(path); }

  Result<> write(std::string_view path, std::string_view text) override {
    return files_.write(path, text);
  }

  mutable int lookups = 0;

 private:
  os::Files& files_;
};

TEST(RecordingFiles, LooksUpNothingBelowAMissingDirectory) {
  std::string target = "missing/";
  for (int i = 0; i < 1000; ++i) target += "a/";
  os::MemoryFiles tree;
  tree.add_link("link", target);
  CountingFiles files(tree);
  const RecordingFiles recording(files);
  EXPECT_FALSE(recording.read("link", 100));
  EXPECT_EQ(files.lookups, 2);  // of "link" and "missing"
}

}  // namespace
}  // namespace manactl::host::recording_files_test
