// SPDX-License-Identifier: MIT

#include "setup/session.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "setup/discarding_files.h"
#include "setup/limits.h"

namespace manactl::setup {

namespace {

std::unique_ptr<os::DurableDirectory> open_journal(const std::string& root) {
  if (!root.empty()) return std::make_unique<DiscardingDirectory>();
  return os::open_durable_directory(kJournalDirectory, os::DirectoryAccess::owner_only);
}

}  // namespace

SetupSession::SetupSession(const os::System& system, std::string root)
    : system_(system),
      root_(std::move(root)),
      files_(open_journal(root_)),
      clock_(make_boot_clock()),
      journal_(*files_) {}

SetupContext SetupSession::context(std::string command, SignalPoll poll_signal) {
  return {{system_, *clock_},
          journal_,
          kLockFile,
          std::move(command),
          std::move(poll_signal),
          Persistence(root_)};
}

Result<> SetupSession::check_privileges() const {
  const auto own = system_.process.privileges();
  if (!own) return tl::unexpected<Error>(own.error());
  if (own->uid == 0 && own->net_admin) return {};
  return fail(Errc::denied, "changing this machine requires root and CAP_NET_ADMIN");
}

namespace {

// Whether a signal has the default action "terminate" or "dump core": signal(7).
bool ends_process(int number) {
  constexpr std::array kHarmless{SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
  return std::find(kHarmless.begin(), kHarmless.end(), number) == kHarmless.end();
}

}  // namespace

DeferredSignals::DeferredSignals() {
  // At the hard limit, which "ulimit -t" also sets, the kernel sends SIGKILL.
  raise_limit(RLIMIT_CPU);
  // A fault of this process still ends it, because the kernel unblocks the signal of a fault.
  sigfillset(&deferred_);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    struct sigaction action{};

    // Once blocked, an ignored signal would stay pending and take() would return it (nohup ignores
    // SIGHUP).
    const bool ignored = sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (ignored || !ends_process(number)) sigdelset(&deferred_, number);
  }
  sigset_t blocked = deferred_;
  // Ctrl-Z, or a background job that writes to its terminal.
  for (const int number : {SIGTSTP, SIGTTIN, SIGTTOU}) sigaddset(&blocked, number);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask_before_);
}

DeferredSignals::~DeferredSignals() {
  while (take() != 0) {
  }
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

int DeferredSignals::take() {
  const timespec no_wait{};
  return std::max(sigtimedwait(&deferred_, nullptr, &no_wait), 0);
}

}  // namespace manactl::setup
