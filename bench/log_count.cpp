// SPDX-License-Identifier: MIT
//
// manactl-log-count FILE: prints how many lines of a log match a signature, like `grep -cE`.

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "diag/log_scan.h"

namespace {

class FileSource : public manactl::ByteSource {
 public:
  explicit FileSource(const char* path) : fd_(::open(path, O_RDONLY | O_CLOEXEC)) {}

  ~FileSource() override {
    if (fd_ >= 0) ::close(fd_);
  }

  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  manactl::Result<std::size_t> read(std::span<char> into) override {
    const auto got = ::read(fd_, into.data(), into.size());
    if (got < 0) return manactl::fail(manactl::Errc::io, "cannot read the log");
    return static_cast<std::size_t>(got);
  }

 private:
  int fd_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: manactl-log-count FILE\n");
    return 2;
  }
  const auto known = manactl::diag::SignatureSet::load();
  if (!known) {
    fmt::print(stderr, "{}\n", known.error().message);
    return 1;
  }
  FileSource source(argv[1]);
  const auto report = manactl::diag::read_log(source, argv[1], *known);
  if (!report) {
    fmt::print(stderr, "{}\n", report.error().message);
    return 1;
  }
  fmt::print("{}\n", report->matched_lines);
  return 0;
}
