// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/attachments.h"
#include "os/attributes.h"
#include "os/in_namespace.h"
#include "os/links.h"
#include "os/netlink.h"

namespace manactl::os::attachments_root_test {
namespace {

using test::ip;
using test::run;
using test::run_in_network_namespace;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

int index_of(const std::string& name) {
  const auto links = open_links()->links();
  for (const auto& link : *links) {
    if (link.name == name) return link.index;
  }
  return 0;
}

std::vector<std::string> attachments(const std::string& name) {
  const auto found = open_links()->attachments(index_of(name));
  EXPECT_TRUE(found) << found.error().message;
  return found.value_or(std::vector<std::string>{});
}

// A program that returns 2, which is XDP_PASS, and -1 of TCX is "next".
int load_program(unsigned type) {
  const bpf_insn code[] = {
      {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 2},
      {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
  };
  bpf_attr attributes{};
  attributes.prog_type = type;
  attributes.insns = reinterpret_cast<std::uintptr_t>(code);
  attributes.insn_cnt = 2;
  attributes.license = reinterpret_cast<std::uintptr_t>("GPL");
  return static_cast<int>(syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof(attributes)));
}

void attach_xdp(int index, int program) {
  ifinfomsg head{};
  head.ifi_index = index;
  std::string xdp, body(bytes_of(head));
  append_attribute(xdp, IFLA_XDP_FD, bytes_of(program));
  append_attribute(body, IFLA_XDP | NLA_F_NESTED, xdp);
  const auto done = send_route_change(RTM_NEWLINK, body, "cannot attach");
  EXPECT_TRUE(done) << done.error().message;
}

TEST(Attachments, AreFoundOfEveryKind) {
  run_in_network_namespace([] {
    ip("link add one type veth peer name two");
    ip("link set one up");
    EXPECT_THAT(attachments("one"), IsEmpty()) << "the kernel's own discipline";
    run("tc qdisc replace dev one root pfifo");
    EXPECT_THAT(attachments("one"), IsEmpty()) << "it is a setting";
    run("tc qdisc add dev one clsact");
    run("nft add table netdev t");
    run("nft add chain netdev t c { type filter hook ingress device one priority 0 ; }");
    run("nft add chain netdev t both { type filter hook ingress devices = { one, two } priority 1 "
        "; }");
    run("nft add chain netdev t other { type filter hook ingress device two priority 0 ; }");
    attach_xdp(index_of("one"), load_program(BPF_PROG_TYPE_XDP));
    EXPECT_THAT(attachments("one"),
                UnorderedElementsAre("the queueing discipline 'pfifo'",
                                     "the queueing discipline 'clsact'",
                                     "the chain 't c' of nftables",
                                     "the chain 't both' of nftables",
                                     "an XDP program"));
    EXPECT_THAT(
        attachments("two"),
        UnorderedElementsAre("the chain 't both' of nftables", "the chain 't other' of nftables"));
  });
}

// Not every kernel supports flowtables.
TEST(Attachments, IncludeFlowtables) {
  std::string devices, hook, body(sizeof(nfgenmsg), '\0');
  for (const char* name : {"eth0", "eth1"}) {
    append_attribute(devices, NFTA_DEVICE_NAME, name + std::string(1, '\0'));
  }
  append_attribute(hook, NFTA_FLOWTABLE_HOOK_NUM, bytes_of(0));
  append_attribute(hook, NFTA_FLOWTABLE_HOOK_DEVS, devices);
  append_attribute(body, NFTA_FLOWTABLE_TABLE, std::string("t") + '\0');
  append_attribute(body, NFTA_FLOWTABLE_NAME, std::string("flows") + '\0');
  append_attribute(body, NFTA_FLOWTABLE_HOOK, hook);
  EXPECT_EQ(flowtable_in(body, "eth1"), "the flowtable 't flows' of nftables");
  EXPECT_EQ(flowtable_in(body, "eth2"), "");
  EXPECT_EQ(flowtable_in({}, "eth1"), "");
}

// Linux 6.6 added TCX.
TEST(Attachments, IncludeTcxPrograms) {
  run_in_network_namespace([] {
    ip("link add one type veth peer name two");
    constexpr std::uint32_t kEgress = 47;
    bpf_attr attributes{};
    attributes.target_fd = static_cast<std::uint32_t>(index_of("one"));
    attributes.attach_bpf_fd = static_cast<std::uint32_t>(load_program(BPF_PROG_TYPE_SCHED_CLS));
    attributes.attach_type = kEgress;
    ASSERT_EQ(syscall(SYS_bpf, BPF_PROG_ATTACH, &attributes, sizeof(attributes)), 0);
    EXPECT_THAT(attachments("one"), UnorderedElementsAre("a TCX program (egress)"));
  });
}

}  // namespace
}  // namespace manactl::os::attachments_root_test
