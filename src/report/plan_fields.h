// SPDX-License-Identifier: MIT
//
// Describes the JSON fields (json_io.h) of a bench plan, its ports and its engine.

#pragma once

#include <string>

#include "datapath/bench.h"
#include "report/figures.h"
#include "report/json_io.h"
#include "report/result.h"

namespace manactl::report {

template <class Io, MaybeConst<datapath::Nic> Nic>
void fields(Io& io, Nic& nic) {
  io.value("interface", nic.interface);
  io.value("pci", nic.pci);
  io.value("mac", nic.mac);
  io.value("vmbus", nic.vmbus);
  io.value("ip", nic.ip);
  io.nullable("mtu", nic.mtu);
}

template <class Io, MaybeConst<datapath::SizeShare> Size>
void fields(Io& io, Size& size) {
  io.value("bytes", size.bytes);
  io.value("share", size.share);
}

template <class Io, MaybeConst<datapath::Rate> Rate>
void fields(Io& io, Rate& rate) {
  io.value("value", rate.value);
  io.word("unit", rate.unit, datapath::kRateUnits);
}

template <class Io, MaybeConst<datapath::BenchPlan> Plan>
void fields(Io& io, Plan& plan) {
  io.word("mode", plan.mode, datapath::kModeWords);
  if constexpr (!Io::kReads) {
    io.nullable("interface", plan.nics.empty() ? std::string() : plan.nics.front().interface);
  }
  io.value("vdevs", plan.vdevs);
  io.list("nics", plan.nics);
  io.value("queues", plan.queues);
  io.value("descriptors", plan.descriptors);
  io.value("burst", plan.burst);
  if constexpr (!Io::kReads) io.value("frame_bytes", plan.traffic.mean_bytes());
  io.list("sizes", plan.traffic.sizes);
  io.value("flows", plan.traffic.flows);
  io.value("destination", plan.traffic.destination);
  if constexpr (Io::kReads) {
    io.value("source_ip", plan.traffic.source_ip);
    io.value("peer_ip", plan.traffic.peer_ip);
    if (plan.traffic.sizes.empty()) io.json().refuse("sizes", "is empty");
  } else {
    io.value("source_ip", source_ip_of(plan));
    io.value("peer_ip", peer_ip_of(plan));
  }
  io.value("seconds", plan.trial.seconds);
  io.value("interval_seconds", plan.trial.interval_seconds);
  io.value("warmup_seconds", plan.trial.warmup_seconds);
  io.value("ramp_seconds", plan.trial.ramp_seconds);
  io.object("rate", plan.trial.rate);
  io.value("cpus", plan.cpus);
  io.value("hugepages", plan.hugepages);
}

template <class Io, MaybeConst<datapath::PortReport> Port>
void fields(Io& io, Port& port) {
  io.value("device", port.device);
  io.value("driver", port.driver);
  io.nullable("lower", port.lower);
  io.value("mac", port.mac);
  io.nullable("link_mbps", port.link_mbps);
}

template <class Io, MaybeConst<datapath::BenchReport> Report>
void engine_fields(Io& io, Report& report) {
  io.value("name", report.engine);
  io.value("version", report.version);
  if constexpr (!Io::kReads) {
    io.value("driver", report.ports.empty() ? std::string() : report.ports.front().driver);
  }
  io.value("template_mode", report.template_mode);
}

}  // namespace manactl::report
