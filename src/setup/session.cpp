// SPDX-License-Identifier: MIT

#include "setup/session.h"

#include <pthread.h>

#include <ctime>
#include <initializer_list>

namespace manactl::setup {

SetupSession::SetupSession(const os::System& system)
    : system_(system),
      files_(os::open_durable_directory(kJournalDirectory, os::DirectoryAccess::owner_only)),
      clock_(make_boot_clock()),
      journal_(*files_) {}

SetupContext SetupSession::context(std::string command, SignalPoll poll_signal) {
  return {{system_, *clock_}, journal_, kLockFile, std::move(command), std::move(poll_signal)};
}

Result<> SetupSession::check_privileges() const {
  const auto own = system_.process.privileges();
  if (!own) return tl::unexpected<Error>(own.error());
  if (own->uid == 0 && own->net_admin) return {};
  return fail(Errc::denied, "changing this machine requires root and CAP_NET_ADMIN");
}

DeferredSignals::DeferredSignals() {
  sigemptyset(&deferred_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};

    // Do not block an ignored signal (nohup ignores SIGHUP): once blocked, it would stay pending
    // and take() would return it.
    const bool ignored = sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&deferred_, number);
  }
  pthread_sigmask(SIG_BLOCK, &deferred_, &mask_before_);
}

DeferredSignals::~DeferredSignals() {
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

int DeferredSignals::take() {
  const timespec no_wait{};
  const int number = sigtimedwait(&deferred_, nullptr, &no_wait);
  return number > 0 ? number : 0;
}

}  // namespace manactl::setup
