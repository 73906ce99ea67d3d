// SPDX-License-Identifier: MIT
//
// The shape of a NIC in the documents of check, status and args (schemas/check.schema.json), and of
// the data that identify it in those of status and prepare (schemas/status.schema.json). The
// parameter Json is always nlohmann::ordered_json; it is a parameter so that this header need not
// include the library.

#pragma once

#include <optional>
#include <string_view>

#include "base/json_text.h"
#include "host/nic_state.h"
#include "setup/nic_identity.h"

namespace manactl::cli {

template <class Json>
Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(safe(text));
}

template <class Json>
Json netdev_json(const std::optional<host::Netdev>& netdev) {
  if (!netdev) return nullptr;
  return {{"name", safe(netdev->name)},
          {"mac", netdev->mac.str()},
          {"driver", text_or_null<Json>(netdev->driver)},
          {"up", netdev->up},
          {"running", netdev->running},
          {"mtu", netdev->mtu}};
}

// Fields of a NIC that does not exist, such as that of a journal entry, are null except the name.
template <class Json>
Json nic_json(std::string_view name, const host::Nic* nic, const host::Facts& facts) {
  Json row;
  row["name"] = safe(name);
  for (const auto* key : {"owner",
                          "channel",
                          "driver",
                          "uio",
                          "synthetic",
                          "vf",
                          "paired",
                          "paired_by",
                          "path",
                          "free",
                          "reason"}) {
    row[key] = nullptr;
  }
  row["carries"] = Json::array();
  if (nic == nullptr) return row;
  row["owner"] = word_of(host::kOwnerWords, host::owner_of(*nic));
  if (nic->vmbus) row["channel"] = nic->vmbus->str();
  row["driver"] = text_or_null<Json>(nic->vmbus_driver);
  row["uio"] = text_or_null<Json>(nic->uio);
  row["synthetic"] = netdev_json<Json>(nic->synthetic);
  row["vf"] = netdev_json<Json>(nic->vf);
  row["paired"] = host::is_paired(*nic);
  row["paired_by"] = text_or_null<Json>(nic->paired_by);
  row["path"] = word_of(host::kTrafficPathWords, host::traffic_path_of(*nic));
  const auto availability = host::availability_of(*nic, facts);
  if (availability.is_free) row["free"] = *availability.is_free;
  row["reason"] = text_or_null<Json>(availability.reason);
  row["carries"] = strings(nic->carries);
  return row;
}

// Unknown fields are null.
template <class Json>
Json identity_json(const setup::NicIdentity& nic) {
  const auto known = nic.fields();
  Json row;
  for (const auto* key : {"driver", "interface", "mac", "pci", "uuid", "vf"}) {
    row[key] = text_or_null<Json>(setup::value_at(known, key));
  }
  return row;
}

}  // namespace manactl::cli
