// SPDX-License-Identifier: MIT

#include "host/traffic.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "host/gather.h"

namespace manactl::host {
namespace {

constexpr std::array kMembers{
    &Traffic::rx_packets, &Traffic::rx_bytes, &Traffic::tx_packets, &Traffic::tx_bytes};

struct QueueCounter {
  std::size_t queue = 0;
  std::uint64_t Traffic::* member = nullptr;
};

// Parses "rx_queue_3_packets" of hv_netvsc, "rx_3_packets" of mana and "rx3_packets" of mlx5_core.
std::optional<QueueCounter> parse_queue_counter(std::string_view name) {
  constexpr std::size_t kMaxQueues = 4096;
  const bool is_rx = name.starts_with("rx");
  if (!is_rx && !name.starts_with("tx")) return std::nullopt;
  name.remove_prefix(2);
  for (const std::string_view infix : {"_queue_", "_"}) {
    if (!name.starts_with(infix)) continue;
    name.remove_prefix(infix.size());
    break;
  }
  const auto number = name.substr(0, name.find_first_not_of("0123456789"));
  const auto queue = parse_unsigned(number, kMaxQueues - 1);
  if (!queue) return std::nullopt;
  name.remove_prefix(number.size());
  if (name == "_packets") return {{*queue, is_rx ? &Traffic::rx_packets : &Traffic::tx_packets}};
  if (name == "_bytes") return {{*queue, is_rx ? &Traffic::rx_bytes : &Traffic::tx_bytes}};
  return std::nullopt;
}

std::optional<Traffic> increase(const Traffic& before, const Traffic& now) {
  Traffic result;
  const auto subtract = [&](std::uint64_t Traffic::* member) {
    result.*member = now.*member - before.*member;
    return now.*member >= before.*member;
  };
  const bool grows = std::ranges::all_of(kMembers, subtract) && subtract(&Traffic::drops);
  return grows ? std::optional(result) : std::nullopt;
}

// Sets the increases since `before`, which may be null, in `now`.
void set_increase(const PathTraffic* before, PathTraffic& now) {
  const bool is_same = before != nullptr && before->index == now.index;
  const auto counters = now.total;
  now.total.reset();
  now.restarted = before != nullptr && !is_same;
  auto queues = std::move(now.queues);
  now.queues.clear();
  if (!is_same || !before->total || !counters) return;
  now.total = increase(*before->total, *counters);
  now.restarted = !now.total;
  const bool has_same_queues = now.total && queues.size() == before->queues.size();
  for (std::size_t i = 0; has_same_queues && i < queues.size(); ++i) {
    now.queues.push_back(increase(before->queues[i], queues[i]).value_or(Traffic{}));
  }
}

const PathTraffic* as_pointer(const std::optional<PathTraffic>& path) {
  return path ? &*path : nullptr;
}

// Only sent packets show the path: the host also delivers multicasts to the synthetic device.
VfUse use_in(const NicTraffic& interval, VfUse before) {
  const auto& [synthetic, vf] = std::tie(interval.synthetic, interval.vf);
  const bool is_known = synthetic && synthetic->total && vf && vf->total;
  if (interval.use != VfUse::used || !is_known) return interval.use;
  const auto sent = synthetic->total->tx_packets, sent_by_vf = vf->total->tx_packets;
  if (sent == 0 && sent_by_vf == 0) return before == VfUse::bypassed ? before : interval.use;
  return sent > sent_by_vf ? VfUse::bypassed : VfUse::used;
}

}  // namespace

std::string traffic_id_of(const Nic& nic) {
  return nic.vmbus ? nic.vmbus->str() : nic.name();
}

TrafficInterval interval_between(const TrafficSample& before, const TrafficSample& now) {
  TrafficInterval interval;
  interval.seconds = std::chrono::duration<double>(now.time - before.time).count();
  interval.nics = now.nics;
  for (auto& nic : interval.nics) {
    const auto old = std::ranges::find(before.nics, nic.id, &NicTraffic::id);
    const auto* same = old == before.nics.end() ? nullptr : &*old;
    if (nic.synthetic) {
      set_increase(same != nullptr ? as_pointer(same->synthetic) : nullptr, *nic.synthetic);
    }
    if (nic.vf) set_increase(same != nullptr ? as_pointer(same->vf) : nullptr, *nic.vf);
  }
  return interval;
}

Result<TrafficSample> TrafficSampler::sample(std::chrono::nanoseconds now) {
  const auto links = system_.links.links();
  if (!links) return tl::unexpected<Error>(links.error());
  const auto refreshed = refresh(*links);
  if (!refreshed) return tl::unexpected<Error>(refreshed.error());
  TrafficSample sample{now, {}};
  auto removed = known_;
  for (auto& nic : nics_) {
    NicTraffic traffic{traffic_id_of(nic), nic.name()};
    for (auto* netdev : {&nic.synthetic, &nic.vf}) {
      if (!*netdev) continue;
      const auto link = std::ranges::find(*links, (*netdev)->index, &os::Link::index);
      const auto name = InterfaceName::parse((*netdev)->name);
      if (link == links->end() || !name) continue;
      (*netdev)->up = link->is_up();
      (*netdev)->running = link->is_running();
      (netdev == &nic.vf ? traffic.vf : traffic.synthetic) = read_path(*name, *link);
    }
    traffic.use = vf_use_of(nic, has_idle_function_);
    removed.erase(traffic.id);
    known_[traffic.id] = traffic.name;
    sample.nics.push_back(std::move(traffic));
  }
  for (const auto& [id, name] : removed) sample.nics.push_back({id, name, VfUse::removed});
  return sample;
}

Result<> TrafficSampler::refresh(const std::vector<os::Link>& links) {
  std::vector<LinkKey> keys;
  for (const auto& link : links) keys.emplace_back(link.index, link.name, link.master.value_or(0));
  const bool lacks_vf = std::ranges::any_of(nics_, [](const Nic& nic) { return !nic.vf; });
  if (keys == keys_ && !lacks_vf) return {};
  auto nics = gather_nics(system_, links);
  if (!nics) return tl::unexpected<Error>(nics.error());
  nics_ = std::move(*nics);
  has_idle_function_ = has_idle_function(gather_functions(system_));
  if (keys != keys_) layouts_.clear();
  keys_ = std::move(keys);
  return {};
}

PathTraffic TrafficSampler::read_path(const InterfaceName& name, const os::Link& link) {
  PathTraffic path{link.index, name.str(), std::nullopt};
  const auto values = system_.ethtool.counter_values(name);
  const auto* layout = values ? layout_of(name, link.index, values->size()) : nullptr;
  if (layout == nullptr || layout->queues == 0) return path;
  auto& total = path.total.emplace();
  path.queues.resize(layout->queues);
  for (const auto& [position, queue, member] : layout->places) {
    path.queues[queue].*member += (*values)[position];
    total.*member += (*values)[position];
  }
  // Since Linux 6.19, mana also reports its packets without a receive buffer in rx_missed_errors.
  const auto discards = layout->discards ? (*values)[*layout->discards] : 0;
  total.drops = link.drops + std::max(link.missed, discards);
  return path;
}

// Returns null if the driver has just changed its counters.
const TrafficSampler::Layout* TrafficSampler::layout_of(const InterfaceName& name,
                                                        int index,
                                                        std::size_t counters) {
  auto& layout = layouts_[index];
  if (layout.counters != counters) {
    const auto all = system_.ethtool.counters(name);
    layout = all ? make_layout(*all) : Layout{};
  }
  return layout.counters == counters ? &layout : nullptr;
}

TrafficSampler::Layout TrafficSampler::make_layout(const os::Counters& counters) {
  Layout layout;
  layout.counters = counters.size();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (counters[i].first == "hc_rx_discards_no_wqe") layout.discards = i;
    const auto counter = parse_queue_counter(counters[i].first);
    if (!counter) continue;
    layout.places.push_back({i, counter->queue, counter->member});
    layout.queues = std::max(layout.queues, counter->queue + 1);
  }
  return layout;
}

bool VfHistories::is_confirmed_switch(const std::string& id, VfUse use) const {
  const auto found = switches_.find(id);
  const bool is_of_kernel = use < VfUse::user_space;
  return found != switches_.end() && is_of_kernel && found->second.first == (use == VfUse::used);
}

void VfHistories::add(const TrafficInterval& interval, Time now) {
  for (const auto& nic : interval.nics) {
    const auto [found, is_first] = histories_.try_emplace(nic.id);
    auto& history = found->second;
    const auto use = use_in(nic, history.use);
    if (is_first && is_confirmed_switch(nic.id, use)) {
      history.since = switches_.at(nic.id).second;
    } else if (!is_first && use != history.use) {
      history.since = now;
      ++history.changes;
    }
    history.use = use;
    if (nic.vf && nic.vf->restarted) ++history.resets;
  }
}

}  // namespace manactl::host
