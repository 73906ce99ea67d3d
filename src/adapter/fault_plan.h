// SPDX-License-Identifier: MIT
//
// Faults to inject. The text form of a fault is one of
//
//     VERB=errno:NAME        the call fails: create_qp=errno:ENODEV
//     VERB=hang              the call never returns
//     VERB=crash             the call aborts the program, as a bug of the provider would
//     VERB=missing           the provider lacks the call: alloc_parent_domain=missing
//     tx=TYPE                packets get an error completion with this CQE type: tx=33
//     rx=truncate, rx=drop   a frame arrives truncated, or finds no buffer
//     provider=foreign       alloc_parent_domain and all verbs that follow it in Verb are missing
//     cq=overrun             a CQ skips a lap, as if the driver had missed its completions
//     doorbell=lost          a doorbell of an SQ does not arrive
//     doorbell=delayed       a doorbell of an SQ arrives late
//     doorbell=duplicated    a doorbell of an SQ arrives twice
//     device=fatal           each open context gets IBV_EVENT_DEVICE_FATAL, and all queues stop
//     device=reset           like fatal, but the device returns and can be opened again
//
// with these options: ",after=N" (the first N calls succeed) and ",times=N" (the next N calls fail)
// for verbs; ",every=N" (every Nth event) for tx, rx, cq and doorbell; ",us=N" (microseconds of
// delay) for doorbell=delayed; ",ms=N" (milliseconds after the creation of the first queue) for
// device; ",back=N" (milliseconds until the device returns) for device=reset.

#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "base/result.h"
#include "wire/completion.h"

namespace manactl::adapter {

// The calls that can fail. Those from query_device_ex on can also be missing.
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

inline constexpr EnumWords<Verb, 14> kVerbWords = {
    {{Verb::get_device_list, "get_device_list"},
     {Verb::open_device, "open_device"},
     {Verb::alloc_pd, "alloc_pd"},
     {Verb::reg_mr, "reg_mr"},
     {Verb::create_cq, "create_cq"},
     {Verb::create_qp, "create_qp"},
     {Verb::create_comp_channel, "create_comp_channel"},
     {Verb::set_context_attr, "set_context_attr"},
     {Verb::init_obj, "init_obj"},
     {Verb::query_device_ex, "query_device_ex"},
     {Verb::alloc_parent_domain, "alloc_parent_domain"},
     {Verb::create_wq, "create_wq"},
     {Verb::create_rwq_ind_table, "create_rwq_ind_table"},
     {Verb::create_qp_ex, "create_qp_ex"}}};

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

// As in the text form, without numbers.
inline constexpr EnumWords<FaultKind, 14> kFaultKindWords = {
    {{FaultKind::error, "errno"},
     {FaultKind::hang, "hang"},
     {FaultKind::crash, "crash"},
     {FaultKind::missing, "missing"},
     {FaultKind::foreign, "provider=foreign"},
     {FaultKind::tx_error, "tx"},
     {FaultKind::truncate, "rx=truncate"},
     {FaultKind::drop, "rx=drop"},
     {FaultKind::overrun, "cq=overrun"},
     {FaultKind::lost, "doorbell=lost"},
     {FaultKind::delayed, "doorbell=delayed"},
     {FaultKind::duplicated, "doorbell=duplicated"},
     {FaultKind::fatal, "device=fatal"},
     {FaultKind::reset, "device=reset"}}};

// The number of injected faults of each kind, indexed by FaultKind. The kinds `missing` and
// `foreign` are not counted.
using FaultCounts = std::array<std::atomic<std::uint64_t>, kFaultKindWords.size()>;

struct Fault {
  FaultKind kind = FaultKind::error;
  Verb verb = Verb::create_qp;  // for kinds from error to missing
  int number = 0;               // kind error: errno; kind tx_error: CQE type
  std::uint64_t after = 0, times = UINT64_MAX;
  std::uint64_t every = 1;
  std::uint64_t us = 1000;            // delay, for kind delayed
  std::uint64_t ms = 0, back = 1000;  // `ms` for kinds fatal and reset; `back` for reset

  static Result<Fault> parse(std::string_view text);
  bool operator==(const Fault&) const = default;
};

// Injects the faults of verbs. Thread-safe.
class VerbFaults {
 public:
  // `injected` must outlive this object.
  VerbFaults(const std::vector<Fault>& faults, FaultCounts& injected);

  // To be called once for each call of the verb. Returns the errno with which it fails, or 0. Does
  // not return for the faults hang and crash.
  int inject(Verb verb);

  bool is_missing(Verb verb) const;

 private:
  struct Armed {
    Fault fault;
    std::atomic<std::uint64_t> calls{0};
  };

  std::vector<std::unique_ptr<Armed>> armed_;
  FaultCounts& injected_;
};

// Selects every n-th event; none if n is 0.
class EveryNth {
 public:
  // Counts the selected events in `selected`, which must outlive this object.
  void set(std::uint64_t n, std::atomic<std::uint64_t>* selected = nullptr) {
    n_ = n;
    selected_ = selected;
  }

  bool is_off() const { return n_ == 0; }

  // Counts one event; returns whether it is selected.
  bool is_due() {
    if (n_ == 0 || (events_.fetch_add(1, std::memory_order_relaxed) + 1) % n_ != 0) return false;
    if (selected_ != nullptr) selected_->fetch_add(1, std::memory_order_relaxed);
    return true;
  }

 private:
  std::uint64_t n_ = 0;
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t>* selected_ = nullptr;
};

// Faults of the data path of one port, counted over all its queues. To be set before the first
// queue is created.
struct DataFaults {
  EveryNth tx, truncate, no_buffer, overrun;
  EveryNth lost_doorbell, delayed_doorbell, duplicated_doorbell;
  std::uint64_t delay_ns = 0;
  wire::CqeType tx_type = wire::CqeType::tx_sa_drop;
};

}  // namespace manactl::adapter
