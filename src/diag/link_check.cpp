// SPDX-License-Identifier: MIT

#include "diag/link_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/fact_lookups.h"
#include "diag/remedies.h"
#include "host/nic_state.h"

namespace manactl::diag {
namespace {

using host::Nic;

// The kernel sets the MTU of the VF with that of the NIC, unless somebody sets that of the VF.
bool has_vf_with_small_mtu(const Nic* nic) {
  return nic->synthetic && nic->vf && nic->synthetic->up && nic->vf->up &&
         nic->vf->master == nic->synthetic->index && nic->vf->mtu != 0 &&
         nic->vf->mtu < nic->synthetic->mtu;
}

void add_pair_links(const host::Facts& facts, const Nic& nic, FindingBuilder& findings) {
  const host::Netdev& synthetic = *nic.synthetic;
  const host::Netdev& vf = *nic.vf;
  if (synthetic.up && vf.up) {
    if (has_vf_with_small_mtu(&nic)) {
      findings.fail(fmt::format("{} has MTU {}, but its VF {} has {}, and loses larger packets",
                                synthetic.name,
                                synthetic.mtu,
                                vf.name,
                                vf.mtu),
                    {fmt::format("ip link set dev {} mtu {}", shell_word(vf.name), synthetic.mtu)});
    } else if (synthetic.running) {
      findings.ok(fmt::format("{} and its VF {} are up", synthetic.name, vf.name), synthetic.name);
    } else {
      findings.warn(fmt::format("{} is up but has no carrier", synthetic.name));
    }
  } else if (synthetic.up) {
    findings.fail(fmt::format("{} is up but its VF {} is down", synthetic.name, vf.name),
                  {link_command(vf, "up")});
  } else if (vf.up) {
    findings.warn(fmt::format("{} is down but its VF {} is up", synthetic.name, vf.name),
                  set_down_commands(facts, nic, vf));
  } else {
    findings.warn(fmt::format("{} and its VF {} are down", synthetic.name, vf.name),
                  {link_command(synthetic, "up")});
  }
}

void add_link(const host::Netdev& device, FindingBuilder& findings) {
  if (device.up && device.running) {
    findings.ok(fmt::format("{} is up", device.name), device.name);
  } else if (device.up) {
    findings.warn(fmt::format("{} is up but has no carrier", device.name));
  } else {
    findings.warn(fmt::format("{} is down", device.name), {link_command(device, "up")});
  }
}

}  // namespace

Finding check_links(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  for (const Nic* nic : selected_nics(facts, options)) {
    if (nic->is_prepared() || host::is_unbound(*nic)) continue;
    if (nic->synthetic && nic->vf) {
      add_pair_links(facts, *nic, findings);
    } else if (nic->synthetic) {
      add_link(*nic->synthetic, findings);
    } else if (nic->vf) {
      add_link(*nic->vf, findings);
    }
  }
  constexpr std::string_view kNone = "every NIC is in user space: see interfaces.prepared";
  if (std::ranges::any_of(selected_nics(facts, options), has_vf_with_small_mtu)) {
    return findings.build(kNone,
                          "set one MTU on the NIC and its VF; one above 1500 reaches only VMs of "
                          "the virtual network that have it too");
  }
  return findings.build(
      kNone,
      "set both links up if the kernel should use the NIC: it uses the VF only while the synthetic "
      "NIC and its VF are up; a NIC that DPDK will use may stay down");
}

}  // namespace manactl::diag
