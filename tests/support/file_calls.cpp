// SPDX-License-Identifier: MIT

#include "support/file_calls.h"

#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace manactl::test {
namespace {

FileCalls* current = nullptr;

std::string name_of(int fd) {
  std::error_code ignored;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
  return path.filename().string();
}

// Returns whether the call may go on; otherwise sets errno.
bool goes_on(const std::string& call, bool recorded = true) {
  const int error = current != nullptr ? current->begin(call, recorded) : 0;
  if (error != 0) errno = error;
  return error == 0;
}

std::size_t limited(std::size_t bytes) {
  return current != nullptr ? std::min(bytes, current->most_bytes) : bytes;
}

}  // namespace

FileCalls::FileCalls() {
  current = this;
}

FileCalls::~FileCalls() {
  current = nullptr;
}

void FileCalls::fail(const std::string& call, int error, unsigned calls) {
  failures_[call] = {error, calls};
}

int FileCalls::begin(const std::string& call, bool recorded) {
  if (recorded) log_.push_back(call);
  const auto failure = failures_.find(call);
  if (failure == failures_.end() || failure->second.calls-- != 0) return 0;
  const int error = failure->second.error;
  failures_.erase(failure);
  return error;
}

}  // namespace manactl::test

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming):
// names of the linker
extern "C" {
ssize_t __real_read(int fd, void* bytes, std::size_t size);
ssize_t __real_write(int fd, const void* bytes, std::size_t size);
int __real_fsync(int fd);
int __real_ftruncate(int fd, off_t size);
int __real_renameat(int from_directory, const char* from, int to_directory, const char* to);
int __real_renameat2(
    int from_directory, const char* from, int to_directory, const char* to, unsigned flags);
int __real_unlinkat(int directory, const char* name, int flags);

ssize_t __wrap_read(int fd, void* bytes, std::size_t size);
ssize_t __wrap_write(int fd, const void* bytes, std::size_t size);
int __wrap_fsync(int fd);
int __wrap_ftruncate(int fd, off_t size);
int __wrap_renameat(int from_directory, const char* from, int to_directory, const char* to);
int __wrap_renameat2(
    int from_directory, const char* from, int to_directory, const char* to, unsigned flags);
int __wrap_unlinkat(int directory, const char* name, int flags);

ssize_t __wrap_read(int fd, void* bytes, std::size_t size) {
  using namespace manactl::test;
  return goes_on("read " + name_of(fd), false) ? __real_read(fd, bytes, limited(size)) : -1;
}

ssize_t __wrap_write(int fd, const void* bytes, std::size_t size) {
  using namespace manactl::test;
  return goes_on("write " + name_of(fd)) ? __real_write(fd, bytes, limited(size)) : -1;
}

int __wrap_fsync(int fd) {
  return manactl::test::goes_on("fsync " + manactl::test::name_of(fd)) ? __real_fsync(fd) : -1;
}

int __wrap_ftruncate(int fd, off_t size) {
  using namespace manactl::test;
  return goes_on("truncate " + name_of(fd)) ? __real_ftruncate(fd, size) : -1;
}

int __wrap_renameat(int from_directory, const char* from, int to_directory, const char* to) {
  const bool good = manactl::test::goes_on(std::string("rename ") + from + " " + to);
  return good ? __real_renameat(from_directory, from, to_directory, to) : -1;
}

int __wrap_renameat2(
    int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
  if (!manactl::test::goes_on(std::string("rename ") + from + " " + to)) return -1;
  return __real_renameat2(from_directory, from, to_directory, to, flags);
}

int __wrap_unlinkat(int directory, const char* name, int flags) {
  const bool good = manactl::test::goes_on(std::string("unlink ") + name);
  return good ? __real_unlinkat(directory, name, flags) : -1;
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
