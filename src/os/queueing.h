// SPDX-License-Identifier: MIT
//
// The queueing disciplines of an interface (tc(8)) that others have attached. The kernel gives the
// handle 0 to its own.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/interface_settings.h"

namespace manactl::os {

struct QueueingDiscipline {
  std::string kind;  // "fq"
  std::uint32_t handle = 0, parent = 0;
  std::string options = {};  // the value of TCA_OPTIONS; empty if there is none
};

// Empty if the kernel has no traffic control.
Result<std::vector<QueueingDiscipline>> read_queueing_disciplines(int index);

// The only discipline of the interface if it is a setting: it replaces the root and has neither
// classes nor filters, so that it can be created again. Microsoft recommends fq, for example.
const QueueingDiscipline* root_setting(const std::vector<QueueingDiscipline>& disciplines);

// The setting "qdisc" of os::Links::settings(), if there is one.
Result<> read_queueing_setting(int index, InterfaceSettings& target);
Result<> write_queueing_setting(int index, const std::string& value);

// Decodes RTM_NEWQDISC; empty for other interfaces and for disciplines of the kernel.
std::optional<QueueingDiscipline> decode_queueing_discipline(std::string_view body, int index);

}  // namespace manactl::os
