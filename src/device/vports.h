// SPDX-License-Identifier: MIT
//
// MANA commands: vPorts, their work queues and their receive steering.

#pragma once

#include <map>
#include <optional>
#include <vector>

#include "adapter/net/rss.h"
#include "device/control.h"
#include "wire/mana_messages.h"
#include "wire/port_messages.h"

namespace manactl::device {

struct Vport {
  std::uint64_t handle = 0;
  MacAddress mac;
  bool tx_configured = false;
  std::optional<std::uint32_t> pd;             // set by CONFIG_VPORT_TX, as is the next
  std::optional<std::uint32_t> doorbell_page;  // the page for the doorbells of its work queues
  bool rx_enabled = true;                      // until CONFIG_VPORT_RX changes it
  bool rss = false;
  std::vector<std::uint32_t> rqs;           // RQ IDs, oldest first; the first is the default
  std::optional<std::uint32_t> default_rq;  // set by CONFIG_VPORT_RX
  std::vector<std::uint64_t> table;         // the RSS indirection table: handles of RQ objects
  std::optional<adapter::Rss> hasher;       // once the driver has set a key
  wire::StatisticsResponse counters;
};

// A work queue with its completion queue, as CREATE_WQ_OBJ creates them.
struct WqObject {
  std::size_t vport = 0;  // index
  bool is_sq = false;
  std::uint32_t wq_id = 0, cq_id = 0;
};

class Vports {
 public:
  Vports(Queues& queues, Control& control, const Options& options);

  // Executes a MANA command; no value for any other command.
  std::optional<Reply> handle(const Request& request);

  void reset();

  std::vector<Vport>& all() { return vports_; }

  // The object of a work queue; null if there is none.
  const WqObject* object_of(std::uint32_t wq_id) const;

  // The page on which the doorbells of a work queue must be rung. No value if the queue belongs to
  // no configured vPort.
  std::optional<std::uint32_t> doorbell_page_of(std::uint32_t wq_id) const;

  // The RQ for a frame with this hash; no value if receive is off.
  std::optional<std::uint32_t> receiver(const Vport& vport, std::uint32_t hash) const;

 private:
  Reply device_config() const;
  Reply vport_config(const Request& request) const;
  Reply config_tx(const Request& request);
  Reply config_rx(const Request& request);
  Reply create_object(const Request& request);
  Reply destroy_object(const Request& request);
  Reply fence(const Request& request);
  Reply link_config(const Request& request);
  Reply statistics() const;

  Result<> take_regions(const wire::CreateWqObjectRequest& body, Region& wq, Region& cq);
  Vport* find(std::uint64_t handle);

  Queues& queues_;
  Control& control_;
  const Options& options_;
  std::vector<Vport> vports_;
  std::map<std::uint64_t, WqObject> objects_;
  std::uint64_t next_object_ = 0x2000;
};

}  // namespace manactl::device
