// SPDX-License-Identifier: MIT
//
// A system whose links and ethtool counters a test changes. All else is that of a captured machine.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "os/system.h"
#include "support/fixtures.h"

namespace manactl::test {

class ChangingNics {
 public:
  explicit ChangingNics(std::string_view fixture)
      : captured_(system_of(fixture)), links_(*this), ethtool_(*this) {
    links = *captured_->system().links.links();
  }

  os::System system() {
    const auto base = captured_->system();
    return {base.files,
            links_,
            ethtool_,
            base.rdma,
            base.verbs,
            base.devices,
            base.modules,
            base.process,
            base.sockets,
            base.kernel_log};
  }

  // The counters of a driver whose queues have names like "rx_queue_0_packets".
  void set_queues(const std::string& interface, const std::string& infix, unsigned queues) {
    auto& all = counters[interface];
    all = {{"stop_queue", 7}};
    for (unsigned queue = 0; queue < queues; ++queue) {
      for (const auto* direction : {"rx", "tx"}) {
        for (const auto* unit : {"packets", "bytes", "xdp_drop"}) {
          all.emplace_back(direction + infix + std::to_string(queue) + "_" + unit, 0);
        }
      }
    }
  }

  std::uint64_t& counter(const std::string& interface, std::string_view name) {
    for (auto& [key, value] : counters.at(interface)) {
      if (key == name) return value;
    }
    return counters.at(interface).emplace_back(name, 0).second;
  }

  os::Link& link(std::string_view name) {
    for (auto& link : links) {
      if (link.name == name) return link;
    }
    links.emplace_back().name = name;
    return links.back();
  }

  os::Link remove(std::string_view name) {
    const auto removed = link(name);
    std::erase_if(links, [name](const os::Link& one) { return one.name == name; });
    return removed;
  }

  std::vector<os::Link> links;
  std::map<std::string, os::Counters> counters;  // without an entry: ENODEV
  unsigned reads_of_names = 0;

 private:
  class ChangingLinks final : public os::Links {
   public:
    explicit ChangingLinks(const ChangingNics& nics) : nics_(nics) {}

    Result<std::vector<os::Link>> links() const override { return nics_.links; }

    Result<std::vector<os::Address>> addresses() const override { return {}; }

    Result<std::vector<os::Route>> routes() const override { return {}; }

   private:
    const ChangingNics& nics_;
  };

  class ChangingEthtool final : public os::Ethtool {
   public:
    explicit ChangingEthtool(ChangingNics& nics) : nics_(nics) {}

    Result<os::DriverInfo> driver(const InterfaceName&) const override {
      return fail_errno(ENODEV, "no driver");
    }

    Result<os::Counters> counters(const InterfaceName& name) const override {
      ++nics_.reads_of_names;
      return read(name);
    }

    Result<std::vector<std::uint64_t>> counter_values(const InterfaceName& name) const override {
      std::vector<std::uint64_t> values;
      const auto all = read(name);
      if (!all) return tl::unexpected<Error>(all.error());
      for (const auto& counter : *all) values.push_back(counter.second);
      return values;
    }

   private:
    Result<os::Counters> read(const InterfaceName& name) const {
      const auto found = nics_.counters.find(name.str());
      if (found == nics_.counters.end()) return fail_errno(ENODEV, "no counters");
      return found->second;
    }

    ChangingNics& nics_;
  };

  std::unique_ptr<host::CapturedSystem> captured_;
  ChangingLinks links_;
  ChangingEthtool ethtool_;
};

}  // namespace manactl::test
