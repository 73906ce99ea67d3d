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

#include "datapath/eal_log.h"

namespace manactl::datapath::dpdk {

namespace {

constexpr std::size_t kMaxLog = 64UL * 1024;

// Where DPDK writes. Its threads outlive a run, so this lives as long as the process.
class Capture {
 public:
  static Capture& instance() {
    static auto* capture = new Capture;  // never deleted: see above
    return *capture;
  }

  FILE* stream() const { return stream_; }

  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  Capture() {
    cookie_io_functions_t functions{};
    functions.write = [](void* self, const char* data, std::size_t size) {
      static_cast<Capture*>(self)->append({data, size});
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

// EAL prints fatal errors to stderr and its usage to stdout, whatever its log stream is. glibc lets
// a program assign both, which leaves the descriptors alone.
class Hush {
 public:
  explicit Hush(FILE* instead)
      : out_(std::exchange(stdout, instead)), err_(std::exchange(stderr, instead)) {}

  Hush(const Hush&) = delete;
  Hush& operator=(const Hush&) = delete;

  ~Hush() {
    stdout = out_;
    stderr = err_;
  }

 private:
  FILE* out_;
  FILE* err_;
};

// EAL makes a directory for its files even when it is told to have none, and leaves it behind.
// Below a file there cannot be one, and with --no-shconf and --in-memory EAL goes on without.
class NoRuntimeDirectory {
 public:
  NoRuntimeDirectory() {
    // NOLINTBEGIN(concurrency-mt-unsafe): no other thread looks at the environment
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
  return Capture::instance().text();
}

Result<CpuList> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (const int error = pthread_getaffinity_np(pthread_self(), sizeof set, &set); error != 0) {
    return fail_errno(error, "cannot read the CPUs of this process");
  }
  CpuList list;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) list.cpus.push_back(cpu);
  }
  return list;
}

Result<Eal> Eal::start(const std::vector<std::string>& arguments) {
  auto* stream = Capture::instance().stream();
  if (stream == nullptr) return fail_errno(errno, "cannot catch the log of DPDK");
  if (started.exchange(true)) return fail(Errc::busy, "DPDK was started in this process before");
  cpu_set_t before;
  CPU_ZERO(&before);
  pthread_getaffinity_np(pthread_self(), sizeof before, &before);

  auto words = arguments;  // EAL permutes them
  words.insert(words.begin(), "manactl");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  rte_openlog_stream(stream);
  const Hush hush(stream);
  const NoRuntimeDirectory none;
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
  // No rte_eal_cleanup(): it unmaps memory that DPDK's interrupt thread, which never ends, still
  // reads. The ports are closed by now, and with --in-memory the kernel takes back all the rest
  // when the process ends.
  pthread_setaffinity_np(pthread_self(), sizeof before_, &before_);
}

}  // namespace manactl::datapath::dpdk
