// SPDX-License-Identifier: MIT
//
// Keeps the changes of prepare --confirm-timeout.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "setup/prepare.h"

namespace manactl::setup {

struct ConfirmResult {
  std::string name;
  std::vector<std::string> persistent;  // paths of the files of --persist, now written
};

// Confirms the NIC `name` (as for restore), or the only unconfirmed NIC if it is empty. The result
// is empty if nothing awaits confirmation. Errc::invalid if the name is missing and several NICs
// await it, not_found for an unknown name, busy for a NIC that is not completely prepared. After an
// error the NIC is not confirmed.
Result<std::optional<ConfirmResult>> confirm(const std::string& name, const SetupContext& context);

}  // namespace manactl::setup
