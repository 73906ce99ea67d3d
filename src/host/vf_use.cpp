// SPDX-License-Identifier: MIT

#include "host/vf_use.h"

#include <algorithm>

#include "base/text.h"
#include "host/nic_state.h"

namespace manactl::host {

std::string phrase_of(VfUse use, std::string_view vf) {
  const auto phrase = word_of(kVfUsePhrases, use);
  if (vf.empty() && use == VfUse::user_space) return "in user space";
  const bool is_about_vf = use <= VfUse::not_joined || use == VfUse::user_space;
  return is_about_vf ? fmt::format("VF {} {}", printable(vf), phrase) : std::string(phrase);
}

bool has_idle_function(const Result<std::vector<PciFunction>>& functions) {
  return functions && std::ranges::any_of(*functions, [](const PciFunction& function) {
           return function.netdevs.empty();
         });
}

VfUse vf_use_of(const Nic& nic, bool has_idle_function) {
  if (nic.is_prepared()) return VfUse::user_space;
  if (is_unbound(nic)) return VfUse::unbound;
  if (!nic.vf) return has_idle_function ? VfUse::no_interface : VfUse::absent;
  if (!nic.is_direct() && !is_paired(nic)) return VfUse::not_joined;
  return nic.vf->up && nic.vf->running ? VfUse::used : VfUse::down;
}

}  // namespace manactl::host
