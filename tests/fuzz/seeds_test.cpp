// SPDX-License-Identifier: MIT
//
// Runs the entry points of the fuzzers on a few inputs, each truncated and modified at every byte.

#include <gtest/gtest.h>
#include <linux/rtnetlink.h>

#include <functional>
#include <string>

#include "fuzz/entry_points.h"
#include "os/attributes.h"
#include "os/netlink.h"
#include "report/bench_json.h"
#include "report/sample_results.h"
#include "wire/messages.h"

namespace manactl::seeds_test {
namespace {

using namespace std::literals;

// The entry points abort on failure. Each input is a copy of its own, so that AddressSanitizer
// detects reads beyond its end.
void run_variations(std::string seed, const std::function<void(std::string_view)>& entry) {
  for (std::size_t length = 0; length <= seed.size(); ++length) {
    entry(std::string(seed, 0, length));
  }
  for (auto& byte : seed) {
    const char old = byte;
    for (const char other : {'\0', '\x7f', '\xff', static_cast<char>(old ^ 1)}) {
      byte = other;
      entry(seed);
    }
    byte = old;
  }
  SUCCEED();
}

TEST(FuzzSeeds, ModifiedBtfKeepsTheInvariants) {
  std::string strings = "\0RDMA_DRIVER_MANA\0"s;
  std::string bytes = "\x9f\xeb\x01\x00\x18\x00\x00\x00\x00\x00\x00\x00\x14\x00\x00\x00"s;
  bytes += "\x14\x00\x00\x00"s;
  bytes += static_cast<char>(strings.size()) + "\0\0\0"s;
  bytes += "\x00\x00\x00\x00\x01\x00\x00\x06\x04\x00\x00\x00\x01\x00\x00\x00\x14\x00\x00\x00"s;
  run_variations(bytes + strings, fuzz::btf);
}

TEST(FuzzSeeds, ModifiedNetlinkMessagesKeepTheInvariants) {
  std::string attributes;
  os::append_attribute(attributes, 1, os::bytes_of(std::uint32_t{3}));
  os::append_attribute(attributes, 2, "mana_0\0"sv);
  os::append_attribute(attributes, RTA_MULTIPATH, "\x08\0\0\0\x04\0\0\0"sv);
  for (const std::size_t head : {0U, 8U, 12U, 16U}) {
    std::string body(head, '\x02');
    body += attributes;
    run_variations(body, fuzz::netlink);
    run_variations(os::encode_request(RTM_NEWLINK, 0, body), fuzz::netlink);
  }
}

TEST(FuzzSeeds, ModifiedAdapterInputsKeepTheInvariants) {
  run_variations("ports=2 backend=cross fault=create_qp=errno:EBUSY,after=1", fuzz::adapter);
  run_variations("tx=33,every=10", fuzz::adapter);
  run_variations("doorbell=delayed,every=2,us=5", fuzz::adapter);
  run_variations("device=reset,ms=1,back=2", fuzz::adapter);
  std::string capture = "\xd4\xc3\xb2\xa1\x02\0\x04\0"s + std::string(8, '\0');
  capture += "\xff\xff\0\0\x01\0\0\0"s;
  for (const char size : {'\x10', '\x3c'}) {
    capture += std::string(8, '\0') + size + "\0\0\0"s + size + "\0\0\0"s;
    capture += std::string(static_cast<std::size_t>(size), '\x45');
  }
  run_variations(capture, fuzz::adapter);
  run_variations("\x01\0\0\0\x01\x02\0\0\0\x01\x40\0\0\0\0\x11"s, fuzz::adapter);
}

TEST(FuzzSeeds, ModifiedWorkAndDoorbellsKeepTheInvariants) {
  run_variations("\0\0\0\x08\x01\x02\x03\x04\x05\x06\x07\x08\x02\0\0\0\0\0"s, fuzz::device);
  run_variations("\x02\0\x20\x02\x11\x22\x01\x01\x01"s, fuzz::device);
}

// Maps RAM, writes the BAR and reads the configuration space, with each protocol.
TEST(FuzzSeeds, ModifiedMessagesOfQemuKeepTheInvariants) {
  run_variations("\0\x03\x20"s + "\x20\0\0\0\3\0\0\0"s + std::string(17, '\0') + "\x10"s +
                     std::string(6, '\0') + "\x02\x02\x14"s + "\x1c\x10"s + std::string(10, '\0') +
                     "\4\0\0\0\0\0\0\0\x0a"s,
                 fuzz::qemu);
  run_variations("\x01\x02\x0c\0\0\0\0\0\0\0\0\4\0\0\0\x03"s + "\x02\x18\0\x40"s +
                     std::string(14, '\0') + "\x08\0\0\0\x01\0\0\0\x04"s,
                 fuzz::qemu);
}

TEST(FuzzSeeds, ModifiedTextsKeepTheInvariants) {
  for (const char* seed : {"7870:00:00.0",
                           "{f8615163-df3e-46c5-913f-f2d2f965ed0e}",
                           "00:0d:3a:76:3b:d0",
                           "0-3,8",
                           "22.11.11",
                           "eth1",
                           "cheek",
                           "6,339,5140900,-;a\\x0ab\n X=y\n",
                           "mana_0\tlibrary\tlibmana.so.1\nend\n",
                           "mana_0\terrno\t13\nend\n"}) {
    run_variations(seed, fuzz::base);
  }
}

TEST(FuzzSeeds, ModifiedHardwareRecordsKeepTheInvariants) {
  run_variations(std::string(640, '\0'), fuzz::wire);
  const auto request = *wire::encode(wire::standard_request(wire::Command::list_devices, 40, 296));
  run_variations(std::string(request.begin(), request.end()), fuzz::wire);
  // A request for a region of two pages; then a WQE followed by a transmit completion.
  auto region = *wire::encode(wire::standard_request(wire::Command::create_dma_region, 80, 40));
  std::string message(region.begin(), region.end());
  message += "\0\x20\0\0\0\0\0\0"s + std::string(8, '\0') + "\2\0\0\0\2\0\0\0"s;
  run_variations(message + std::string(16, '\x10'), fuzz::wire);
  std::string queue = "\0\0\0\0\2\2\0\0"s + std::string(56, '\x22');
  queue[7] = 0;
  run_variations(queue + "\x63"s + std::string(62, '\0') + "\x20"s, fuzz::wire);
}

TEST(FuzzSeeds, ModifiedLogsKeepTheInvariants) {
  for (const char* seed : {"EAL: No free 2048 kB hugepages reported on node 0\n",
                           "<3>[   12.3] mana_dev_start(): failed to start tx queues -19\r\n",
                           "\x1b[1;31mEAL: Error\x1b[0m\n\n2026-11-21T03:00:00.1Z stdout F x\n",
                           "{\"log\":\"EAL: \\u001b[1mfailed\\n\",\"stream\":\"stdout\"}\n"}) {
    run_variations(seed, fuzz::log);
  }
}

TEST(FuzzSeeds, ModifiedTicketsKeepTheInvariants) {
  run_variations(
      "u@v:~$ lspci -k\n7870:00:00.0 Ethernet controller: Microsoft Corporation Device 00ba\n"
      "\tKernel modules: mana\nu@v:~$ lsmod | grep mana\nu@v:~$ \n",
      fuzz::log);
  run_variations(
      "2: eth0: <BROADCAST,UP> mtu 1500\n link/ether 00:00:5e:00:53:01\n3: enP1s1: "
      "<BROADCAST,SLAVE> mtu 1500 master eth0\n link/ether 00:00:5e:00:53:01\n",
      fuzz::log);
}

TEST(FuzzSeeds, ModifiedCompressedLogsKeepTheInvariants) {
  run_variations(
      "\x1f\x8b\x08\0\0\0\0\0\x02\x03\xcb\x4d\xcc\x4b\xe4\x02\0\x55\x81\x60\xfa\x05\0\0\0"s,
      fuzz::decompress);
  run_variations(
      "\xfd"
      "7zXZ\0\0\4\xe6\xd6\xb4\x46\2\0\x21\1\x16\0\0\0"s,
      fuzz::decompress);
  run_variations("\x28\xb5\x2f\xfd\x04\x58\x29\0\0mana\n\0\0\0\0"s, fuzz::decompress);
}

TEST(FuzzSeeds, ModifiedLogsWithAddressesKeepTheInvariants) {
  for (const std::string& seed :
       {"MAC=00:0d:3a:76:3b:d0:12:34:56:78:9a:bd:08:00 fe80::20d:3aff:fe76:3bd0%eth0 10.0.0.4.22"s,
        "Nov 21 10:00:00 web01 sshd[7]: for alice from ::1\n\x1b[31m000d.3a76.3bd0\0\xff"s,
        std::string(2, '\0'),
        "//store/pay /home/a cifs user=b,addr=10.0.0.9\na@b.cc 0xd3a763bd0 0d:3a:76:3b:d0..."s}) {
    run_variations(seed, fuzz::scrub);
  }
}

// Results are long, so only every 499th byte is modified. The step is prime, so that it does not
// always hit the same part of similar lines.
TEST(FuzzSeeds, ModifiedBenchResultsKeepTheInvariants) {
  constexpr std::size_t kStep = 499;
  for (auto text : {report::bench_json(test::eventful(), 0),
                    report::bench_json(test::steady(datapath::Mode::tx, 1e6), 0)}) {
    fuzz::bench(text);
    for (std::size_t at = 0; at < text.size(); at += kStep) {
      fuzz::bench(std::string(text, 0, at));
      const char old = text[at];
      for (const char other : {'\xff', '9', '-', static_cast<char>(old ^ 1)}) {
        text[at] = other;
        fuzz::bench(text);
      }
      text[at] = old;
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace manactl::seeds_test
