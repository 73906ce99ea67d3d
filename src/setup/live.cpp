// SPDX-License-Identifier: MIT

#include "setup/live.h"

#include "setup/lock.h"

namespace manactl::setup {
namespace {

class CountingClock final : public Clock {
 public:
  std::chrono::milliseconds now() const override { return now_; }

  void pause(std::chrono::milliseconds time) override { now_ += time; }

 private:
  std::chrono::milliseconds now_{0};
};

}  // namespace

Live::Live(const os::System& system)
    : files_(os::open_durable(kJournal, os::Secrecy::ours_alone)),
      clock_(open_clock()),
      machine_{system, *clock_},
      journal_(*files_) {}

Session Live::session(std::string command, Interrupted interrupted) {
  return {machine_, journal_, kLockFile, std::move(command), std::move(interrupted)};
}

Result<> Live::may_change() const {
  const auto own = machine_.system.process.privileges();
  if (!own) return tl::unexpected<Error>(own.error());
  if (own->uid == 0 && own->net_admin) return {};
  return fail(Errc::denied, "this changes the machine: run it as root");
}

std::unique_ptr<Clock> counting_clock() {
  return std::make_unique<CountingClock>();
}

}  // namespace manactl::setup
