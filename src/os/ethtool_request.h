// SPDX-License-Identifier: MIT
//
// The SIOCETHTOOL ioctl (linux/ethtool.h) and similar ones for one interface. Use only names that
// rtnetlink has listed: see ethtool.h.

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "os/owned.h"

namespace manactl::os {

// An ethtool command structure of variable length, aligned for any member. A word has 32 bits.
class EthtoolRequest {
 public:
  EthtoolRequest(std::uint32_t command, std::size_t bytes);

  char* data() { return reinterpret_cast<char*>(words_.data()); }

  const char* data() const { return reinterpret_cast<const char*>(words_.data()); }

  std::uint32_t word(std::size_t index) const;
  void set_word(std::size_t index, std::uint32_t value);

 private:
  std::vector<std::uint64_t> words_;
};

class EthtoolSocket {
 public:
  // Errc::invalid for alternative names of 16 bytes and more, which the ioctl does not support.
  static Result<EthtoolSocket> open(const InterfaceName& name);

  // `request` is a command structure, which the kernel changes. Returns an error with errno.
  Result<> call(void* request) const;

  // Like call(), for another ioctl such as SIOCGHWTSTAMP.
  Result<> call(unsigned long number, void* request) const;

  Result<> call(EthtoolRequest& request) const { return call(request.data()); }

  // The number of strings in a set (ETH_SS_*); 0 if the driver lacks the set.
  Result<std::uint32_t> string_count(unsigned set) const;

 private:
  EthtoolSocket(Descriptor socket, std::string name)
      : socket_(std::move(socket)), name_(std::move(name)) {}

  Descriptor socket_;
  std::string name_;
};

// A string of the reply to ETHTOOL_GSTRINGS.
constexpr std::size_t kEthtoolStringsHead = 12;  // cmd, string_set, len
std::string ethtool_string(const EthtoolRequest& strings, std::size_t index);

}  // namespace manactl::os
