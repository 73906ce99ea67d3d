// SPDX-License-Identifier: MIT
//
// Runs steps in order and goes back when one fails: newest first, every one is tried.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "setup/journal.h"
#include "setup/step.h"

namespace manactl::setup {

struct Undone {
  std::string title;
  Result<> result;
  std::vector<std::string> by_hand;  // when it failed: what to type instead
  bool gone = false;                 // it failed because its device is not there any more

  bool is_good() const { return result || gone; }
};

struct Ran {
  std::string title;
  Values before;
  bool changed = false;  // false: it was as wanted
  std::chrono::milliseconds took{0};
};

// The number of a signal that asks to stop, or 0. Asked between steps, never within one.
using Interrupted = std::function<int()>;

class Transaction {
 public:
  Transaction(Machine& machine, Journal& journal, Interrupted interrupted)
      : machine_(machine), journal_(journal), interrupted_(std::move(interrupted)) {}

  // `entry` is open in the journal and has a record for each step.
  Result<> run(const Steps& steps, Entry& entry);

  // After a failure: what going back came to. The entry stays in the journal unless all is undone.
  bool is_undone() const;

  const std::vector<Undone>& undone() const { return undone_; }

  // What was done; to be taken once, because it may hold every route.
  std::vector<Ran> take_ran() { return std::move(ran_); }

  int signal() const { return signal_; }

 private:
  Result<> run_step(Step& step, Entry& entry, std::size_t number);

  Machine& machine_;
  Journal& journal_;
  Interrupted interrupted_;
  std::vector<Ran> ran_;
  std::vector<Undone> undone_;
  int signal_ = 0;
};

// Reverts every step of the entry, newest first. `open` are all entries of the journal: what is
// shared with other prepared NICs stays with them.
std::vector<Undone> roll_back(Machine& machine,
                              const Entry& entry,
                              const std::vector<Entry>& open,
                              bool force);

bool all_good(const std::vector<Undone>& undone);

}  // namespace manactl::setup
