// SPDX-License-Identifier: MIT
//
// Lines that --scrub must not change, although they contain words such as "key" and "host".

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "host/scrub_json.h"
#include "host/scrubbing.h"

namespace manactl::host::scrub_kept_test {
namespace {

TEST(ScrubbedLine, KeepsTheMessagesOfTheKernel) {
  expect_kept(
      {"mana 7870:00:00.0: dma key 0x1234, lkey 0x10, rkey=0x20 pdid=3",
       "mana: Token ring is not supported",
       "hv_netvsc 7e1f3b2a-55aa-4e1f-9c0d-7788990011aa eth0: VF slot 1 added",
       "hv_pci 12345678-4e1f-9c0d-7788-990011aabbcc: PCI VMBus probing: Using version 0x10004",
       "hv_vmbus: registering driver hv_netvsc",
       "mana 7870:00:00.0 enP30832s1: Configured vPort 0 PD 18 DB 16",
       "mana 7870:00:00.0: Failed to create key: -22, invalid token: 5",
       "Key type dns_resolver registered",
       "Loaded X.509 cert 'Canonical Ltd. Secure Boot Signing: "
       "88f752e560a1e0737e31163a466ad7b70a850c19'",
       "integrity: Loading X.509 certificate: UEFI:db",
       "[    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz-6.8.0-1062-azure ro quiet",
       "[    5.123456] systemd[1]: Started systemd-journald.service - Journal Service.",
       "[    5.123456] pci 7870:00:00.0: [1414:00ba] type 00 class 0x020000",
       "Code: 48 89 c7 e8 00 00 00 00 RIP: 0010:mana_poll_tx_cq+0x1b/0x2f0 [mana]",
       "systemd-networkd[7]: eth0: Link UP",
       "trace: mana_gd_send_request: token == 5, req => 0x12, <mana>up</mana>",
       "type=SYSCALL msg=audit(1.2:3): arch=c000003e a0=7ffd a1=0 a2=5 comm=\"testpmd\"",
       "5: eth0@if4: <BROADCAST,MULTICAST,UP> mtu 1500 qdisc noqueue state UP",
       "net.ipv4.ip_forward = 1, vm.nr_hugepages = 1024, org.freedesktop.systemd1"});
}

TEST(ScrubbedLine, KeepsTheMessagesOfDpdk) {
  expect_kept(
      {"EAL: Probe PCI driver: net_mana (1414:ba) device: 7870:00:00.0 (socket 0)",
       "RSS hash key: 6D5A56DA255B0EC24167253D43A38FB0D0CA2BCBAE7B30B477CB2DA38030F20C",
       "rss_key=6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c",
       "MANA_DRIVER: mana_mr_btree_init(): key: 0x1234 lkey: 16 token=7",
       "EAL: Selected IOVA mode 'PA', secondary process, token bucket rate 5",
       "EAL: open shared lib /usr/lib/x86_64-linux-gnu/dpdk/pmds-23.0/librte_net_mana.so.23.0",
       "testpmd: create a new mbuf pool <mb_pool_0>: n=155456, size=2176, socket=0",
       "git commit 88f752e560a1e0737e31163a466ad7b70a850c19 of https://git.dpdk.org/dpdk",
       "see https://learn.microsoft.com/en-us/azure/virtual-network/setup-dpdk-mana",
       "ethtool -X eth0 hkey 6d:5a:56:da:25:5b:0e:c2:41:67",
       "0: no password, no secret: skipped; 3 keys, 2 secrets, 1 token",
       "undefined symbol: _ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRKiEEEvN9__gnu_cxx17",
       "dpdk-testpmd -l 0-1 -a 7870:00:00.0 --vdev=net_vdev_netvsc0,iface=eth1 -- -i -p 0x3 -w 5",
       "ethtool: pwm 5, value: 7, text: x, data: [1, 2], name: mana, {\"value\": \"eth0\"}",
       "port 0: RX queue number: 1 Tx queue number: 1 Rx offloads=0x0 Tx offloads=0x10000",
       "file: /usr/share/doc/x, error:/dev/null, level:/x, open:/dev/hugepages"});
}

std::string read(const std::string& path) {
  std::ifstream file(MANACTL_SOURCE_DIR "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Scrubs as the files of sysfs are scrubbed: without names, ids and secrets.
std::string scrub_addresses(const std::string& text) {
  Scrubber scrubber;
  scrubber.learn(text);
  return scrubber.scrubbed(text);
}

void collect_strings(const nlohmann::json& value, std::vector<std::string>& strings) {
  if (value.is_string()) strings.push_back(value.get<std::string>());
  if (!value.is_structured()) return;
  for (const auto& element : value) collect_strings(element, strings);
}

TEST(ScrubbedLog, DiffersOnlyInAddressesIfItNamesNobody) {
  std::vector<std::string> texts;
  collect_strings(nlohmann::json::parse(read("data/signatures.json")), texts);
  EXPECT_GT(texts.size(), 500U);
  std::string all;
  for (const auto& text : texts) {
    EXPECT_EQ(scrub(text), scrub_addresses(text));
    all += text + "\n";
  }
  EXPECT_EQ(scrub(all), scrub_addresses(all));
  for (const char* log : {"story/healthy-kernel-full-boot.log",
                          "story/healthy-kernel-boot.log",
                          "story/healthy-kernel-with-mlx5.log",
                          "story/healthy-all-debug.log",
                          "healthy-dmesg.log",
                          "healthy-testpmd.log",
                          "how-to-rdma-core.log",
                          "sim-queue-stuck.log",
                          "vdev-netvsc.log"}) {
    const auto text = read(std::string("tests/logs/") + log);
    EXPECT_FALSE(text.empty()) << log;
    EXPECT_EQ(scrub(text), scrub_addresses(text)) << log;
  }
}

}  // namespace
}  // namespace manactl::host::scrub_kept_test
