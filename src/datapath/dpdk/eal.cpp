// SPDX-License-Identifier: MIT
#include "datapath/dpdk/eal.h"

#include <pthread.h>
#include <rte_eal.h>
#include <rte_log.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "datapath/dpdk/eal_log.h"

namespace manactl::datapath::dpdk {

namespace {

constexpr std::size_t kMaxLog = 64UL * 1024;

// Receives DPDK's log. Lives until the process ends, because DPDK's threads do.
class LogCapture {
 public:
  static LogCapture& instance() {
    static auto* capture = new LogCapture;  // never deleted
    return *capture;
  }

  FILE* stream() const { return stream_; }

  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  LogCapture() {
    cookie_io_functions_t functions{};
    functions.write = [](void* self, const char* data, std::size_t size) {
      static_cast<LogCapture*>(self)->append({data, size});
      return static_cast<ssize_t>(size);
    };
    stream_ = fopencookie(this, "w", functions);
    if (stream_ != nullptr) setvbuf(stream_, nullptr, _IONBF, 0);
  }

  void append(std::string_view data) {
    const std::lock_guard lock(mutex_);
    text_.append(data.substr(0, kMaxLog - std::min(kMaxLog, text_.size())));
  }

  FILE* stream_ = nullptr;
  std::mutex mutex_;
  std::string text_;
};

// Redirects stdout and stderr: EAL prints fatal errors and its usage there, regardless of its log
// stream. glibc allows assigning to both; the file descriptors stay unchanged.
class OutputRedirect {
 public:
  explicit OutputRedirect(FILE* target)
      : out_(std::exchange(stdout, target)), err_(std::exchange(stderr, target)) {}

  OutputRedirect(const OutputRedirect&) = delete;
  OutputRedirect& operator=(const OutputRedirect&) = delete;

  ~OutputRedirect() {
    stdout = out_;
    stderr = err_;
  }

 private:
  FILE* out_;
  FILE* err_;
};

// EAL creates a runtime directory even if it needs none, and does not remove it. This class moves
// it below /dev/null, where EAL cannot create it; with --no-shconf or --in-memory this is harmless.
class NoRuntimeDirectory {
 public:
  NoRuntimeDirectory() {
    // NOLINTBEGIN(concurrency-mt-unsafe): no other thread uses the environment
    if (const char* before = getenv(kName); before != nullptr) before_ = before;
    setenv(kName, "/dev/null", 1);
    // NOLINTEND(concurrency-mt-unsafe)
  }

  NoRuntimeDirectory(const NoRuntimeDirectory&) = delete;
  NoRuntimeDirectory& operator=(const NoRuntimeDirectory&) = delete;

  ~NoRuntimeDirectory() {
    // NOLINTBEGIN(concurrency-mt-unsafe): as above
    before_ ? setenv(kName, before_->c_str(), 1) : unsetenv(kName);
    // NOLINTEND(concurrency-mt-unsafe)
  }

 private:
  static constexpr const char* kName = "RUNTIME_DIRECTORY";
  std::optional<std::string> before_;
};

std::atomic<bool> started = false;

}  // namespace

std::string log_text() {
  return LogCapture::instance().text();
}

Result<Eal> Eal::start(const std::vector<std::string>& arguments) {
  auto* stream = LogCapture::instance().stream();
  if (stream == nullptr) return fail_errno(errno, "cannot capture the log of DPDK");
  if (started.exchange(true)) return fail(Errc::busy, "DPDK was already started in this process");
  cpu_set_t before;
  CPU_ZERO(&before);
  pthread_getaffinity_np(pthread_self(), sizeof before, &before);

  auto words = arguments;  // EAL reorders them
  words.insert(words.begin(), "manactl");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  rte_openlog_stream(stream);
  const OutputRedirect redirect(stream);
  const NoRuntimeDirectory no_directory;
  if (rte_eal_init(static_cast<int>(words.size()), argv.data()) < 0) {
    pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    return tl::unexpected<Error>(reason_of(log_text()));
  }
  return Eal(before);
}

Eal::Eal(Eal&& other) noexcept
    : before_(other.before_), running_(std::exchange(other.running_, false)) {}

Eal& Eal::operator=(Eal&& other) noexcept {
  std::swap(before_, other.before_);
  std::swap(running_, other.running_);
  return *this;
}

Eal::~Eal() {
  if (!running_) return;
  // rte_eal_cleanup() would unmap memory that DPDK's interrupt thread, which never ends, still
  // reads. The ports are closed by now, and the kernel frees everything else when the process ends.
  pthread_setaffinity_np(pthread_self(), sizeof before_, &before_);
}

}  // namespace manactl::datapath::dpdk
