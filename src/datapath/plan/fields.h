// SPDX-License-Identifier: MIT
//
// Names of the plan's fields in errors. Code that fills a plan, for example from the command line,
// replaces these names by those of its source, such as option names.

#pragma once

#include <cstdint>

#include "base/enum_words.h"

namespace manactl::datapath {

enum class PlanField : std::uint8_t {
  mode,
  vdevs,
  queues,
  descriptors,
  burst,
  sizes,
  flows,
  destination,
  source_ip,
  peer_ip,
  seconds,
  interval,
  warmup,
  rate,
  ramp,
  cpus,
  losses,
};

inline constexpr EnumWords<PlanField, 17> kPlanFields = {{
    {PlanField::mode, "plan.mode"},
    {PlanField::vdevs, "plan.vdevs"},
    {PlanField::queues, "plan.queues"},
    {PlanField::descriptors, "plan.descriptors"},
    {PlanField::burst, "plan.burst"},
    {PlanField::sizes, "plan.sizes"},
    {PlanField::flows, "plan.flows"},
    {PlanField::destination, "plan.destination"},
    {PlanField::source_ip, "plan.source_ip"},
    {PlanField::peer_ip, "plan.peer_ip"},
    {PlanField::seconds, "plan.seconds"},
    {PlanField::interval, "plan.interval"},
    {PlanField::warmup, "plan.warmup"},
    {PlanField::rate, "plan.rate"},
    {PlanField::ramp, "plan.ramp"},
    {PlanField::cpus, "plan.cpus"},
    {PlanField::losses, "plan.losses"},
}};

constexpr std::string_view name_of(PlanField field) {
  return word_of(kPlanFields, field);
}

}  // namespace manactl::datapath
