// SPDX-License-Identifier: MIT
//
// Samples the counters of NICs, and computes what happened between two samples. A sample costs one
// dump of the links and two ethtool requests for each interface. The other facts are gathered again
// only if the set of interfaces has changed, or while a NIC has no VF.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "host/facts.h"
#include "host/vf_use.h"
#include "os/system.h"

namespace manactl::host {

struct Traffic {
  std::uint64_t rx_packets = 0, rx_bytes = 0, tx_packets = 0, tx_bytes = 0;
  std::uint64_t drops = 0;  // 0 for a queue

  bool operator==(const Traffic&) const = default;
};

// The packets of an interface of a NIC. Those of the synthetic interface exclude the packets of the
// VF, which hv_netvsc adds to its IFLA_STATS64 (netvsc_get_stats64); its drops include packets that
// it could not pass to the VF.
struct PathTraffic {
  int index = 0;  // of the interface; a VF that returns has another one
  std::string interface;
  std::optional<Traffic> total;  // empty if it is not known
  std::vector<Traffic> queues = {};
  bool restarted = false;  // in an interval: the counters began again, so `total` is not known
};

struct NicTraffic {
  std::string id;  // traffic_id_of()
  std::string name;
  VfUse use = VfUse::absent;
  std::optional<PathTraffic> synthetic = {}, vf = {};
};

// The VMBus id, which remains when an interface of the NIC is renamed or removed; without one, the
// name.
std::string traffic_id_of(const Nic& nic);

// The counters at one time.
struct TrafficSample {
  std::chrono::nanoseconds time{0};  // of a clock that never goes back
  std::vector<NicTraffic> nics;
};

// The increases of the counters.
struct TrafficInterval {
  double seconds = 0;
  std::vector<NicTraffic> nics;
};

// An increase is known only if both samples have the same interface with the same number of queues
// and no counter went backwards. The counters of a VF that returns begin at 0, and so do those of
// queues that a driver allocates again, for example after a change of the MTU.
TrafficInterval interval_between(const TrafficSample& before, const TrafficSample& now);

class TrafficSampler {
 public:
  explicit TrafficSampler(const os::System& system) : system_(system) {}

  // A NIC that was in an earlier sample and no longer exists has VfUse::removed.
  Result<TrafficSample> sample(std::chrono::nanoseconds now);

 private:
  // The positions of the counters to add up, in the order of the driver.
  struct Layout {
    struct Place {
      std::size_t position = 0, queue = 0;
      std::uint64_t Traffic::* member = nullptr;
    };

    std::size_t counters = 0;  // the number of names
    std::size_t queues = 0;
    std::vector<Place> places = {};
    std::optional<std::size_t> discards = {};  // position of hc_rx_discards_no_wqe
  };

  using LinkKey = std::tuple<int, std::string, int>;  // index, name, master

  Result<> refresh(const std::vector<os::Link>& links);
  PathTraffic read_path(const InterfaceName& name, const os::Link& link);
  const Layout* layout_of(const InterfaceName& name, int index, std::size_t counters);
  static Layout make_layout(const os::Counters& counters);

  os::System system_;
  std::vector<LinkKey> keys_;
  std::vector<Nic> nics_;
  bool has_idle_function_ = false;
  std::map<int, Layout> layouts_;             // by the index of the interface
  std::map<std::string, std::string> known_;  // names of all NICs by id
};

// The use of a NIC's VF over time.
struct VfHistory {
  VfUse use = VfUse::absent;
  std::optional<std::chrono::system_clock::time_point> since;  // empty: not known, before the start
  unsigned changes = 0;                                        // of `use` since the start
  unsigned resets = 0;  // how often the VF's counters began again, or the VF was replaced
};

class VfHistories {
 public:
  using Time = std::chrono::system_clock::time_point;

  // The data path of the NIC was switched at a time before the first interval, as the kernel log
  // shows. Ignored if the state in that interval contradicts it.
  void set_switch(const std::string& id, bool to_vf, Time time) { switches_[id] = {to_vf, time}; }

  void add(const TrafficInterval& interval, Time now);

  // The history of a NIC that the last interval contains.
  const VfHistory& of(const NicTraffic& nic) const { return histories_.at(nic.id); }

 private:
  bool is_confirmed_switch(const std::string& id, VfUse use) const;

  std::map<std::string, VfHistory> histories_;
  std::map<std::string, std::pair<bool, Time>> switches_;  // to the VF, and when
};

}  // namespace manactl::host
