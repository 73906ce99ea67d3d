// SPDX-License-Identifier: MIT
//
// Adds the options of this invocation to the commands that messages propose, such as "run 'manactl
// doctor'", so that a pasted command uses the same machine and files.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"

namespace manactl::diag {
struct Diagnosis;
struct Report;
}  // namespace manactl::diag

namespace manactl::cli {

class CommandHints {
 public:
  CommandHints() = default;  // complete() changes nothing

  // Reads the options of this invocation that other commands must repeat: --dry-run, --root, which
  // may have been typed as BUNDLE, --results and --config.
  explicit CommandHints(const Context& context);

  // Adds the options to each command of manactl in `text` that accepts them: "see 'manactl check'"
  // becomes "see 'manactl check --root vm.tar.gz'". Commands that change or measure a machine are
  // for the captured machine itself, so they get no --root, except prepare in a dry run. A second
  // call changes nothing.
  std::string complete(std::string_view text) const;

  void complete(std::vector<std::string>& texts) const;

  // Completes remedies and notes, but no text that was read from a log.
  void complete(diag::Report& report) const;
  void complete(diag::Diagnosis& diagnosis) const;

 private:
  struct Option {
    std::string name;   // "--root"
    std::string words;  // " --root vm.tar.gz"
  };

  std::vector<Option> options_;
};

}  // namespace manactl::cli
