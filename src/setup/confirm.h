// SPDX-License-Identifier: MIT
//
// Keeps the changes of prepare and tune with --confirm-timeout.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "setup/prepare.h"

namespace manactl::setup {

struct ConfirmResult {
  std::string name;
  std::vector<std::string> persistent;  // paths of the files of --persist, now written
  bool is_tuning = false;               // the changes are those of tune
};

// Confirms the NIC `name` (as for restore), or the only unconfirmed NIC if it is empty. The result
// is empty if the NIC `name` was confirmed before. Errc::invalid if the name is missing and several
// NICs await confirmation, not_found for an unknown name or if nothing awaits it, busy for a NIC
// that is not completely prepared. After an error the NIC is not confirmed.
Result<std::optional<ConfirmResult>> confirm(const std::string& name, const SetupContext& context);

}  // namespace manactl::setup
