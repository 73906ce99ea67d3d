// SPDX-License-Identifier: MIT
//
// Faults to inject. One fault is written as
//
//     VERB=errno:NAME        the call fails: create_qp=errno:ENODEV
//     VERB=hang              the call never comes back
//     VERB=crash             the program is aborted in it, as by a bug of the provider
//     VERB=missing           the provider does not have it, as a foreign one: alloc_parent_domain
//     tx=TYPE                an error completion, by the number of its CQE type: tx=33
//     rx=truncate, rx=drop   a frame arrives cut, or finds no buffer
//     provider=foreign       what only MANA's provider has is missing
//     cq=overrun             completions look as if the driver had missed a whole lap of them
//     doorbell=lost          a doorbell of an SQ does not arrive
//     doorbell=delayed       it arrives later
//     doorbell=duplicated    it arrives twice
//     device=fatal           every open context gets IBV_EVENT_DEVICE_FATAL, and all queues stop
//     device=reset           the same, but the device comes back for those who open it again
//
// followed by ",after=N" (the first N calls work) and ",times=N" (then they work again) for verbs,
// ",every=N" for tx, rx, cq and doorbell, ",us=N" for a delayed doorbell, ",ms=N" (after the first
// queue was made) for the device, and ",back=N" (milliseconds after that) for its reset.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::adapter {

// The calls that can fail. Those from query_device_ex on can be missing, too.
enum class Verb : std::uint8_t {
  get_device_list,
  open_device,
  alloc_pd,
  reg_mr,
  create_cq,
  create_qp,
  create_comp_channel,
  set_context_attr,
  init_obj,
  query_device_ex,
  alloc_parent_domain,
  create_wq,
  create_rwq_ind_table,
  create_qp_ex,
};

inline constexpr std::size_t kVerbs = static_cast<std::size_t>(Verb::create_qp_ex) + 1;

std::string_view name_of(Verb verb);

enum class FaultKind : std::uint8_t {
  error,
  hang,
  crash,
  missing,
  foreign,
  tx_error,
  truncate,
  drop,
  overrun,
  lost,
  delayed,
  duplicated,
  fatal,
  reset
};

struct Fault {
  FaultKind kind = FaultKind::error;
  Verb verb = Verb::create_qp;  // error, missing
  int number = 0;               // error: errno; tx_error: the type
  std::uint64_t after = 0, times = UINT64_MAX;
  std::uint64_t every = 1;
  std::uint64_t us = 1000;            // delayed
  std::uint64_t ms = 0, back = 1000;  // fatal, reset

  static Result<Fault> parse(std::string_view text);
  bool operator==(const Fault&) const = default;
};

// The verbs' part of a plan. Any thread.
class VerbFaults {
 public:
  explicit VerbFaults(const std::vector<Fault>& faults);

  // The errno that this call fails with, or 0; or it ends here. The call counts as having come by.
  int strike(Verb verb);

  bool missing(Verb verb) const;

 private:
  struct Armed {
    Fault fault;
    std::atomic<std::uint64_t> seen{0};
  };

  std::vector<std::unique_ptr<Armed>> armed_;
};

}  // namespace manactl::adapter
