// SPDX-License-Identifier: MIT
//
// A program that uses direct verbs, linked with the library that replaces libibverbs and libmana.
// It rings doorbells with plain stores, as drivers do, so the library must trap each store.

#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstdlib>

#include "adapter/shim/interface.h"
#include "adapter/verbs_objects.h"

// The trap allocates memory in its signal handler. This is safe, because the interrupted doorbell
// store never runs inside malloc. ThreadSanitizer cannot know that.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer defines this name
extern "C" const char* __tsan_default_options() {
  return "report_signal_unsafe=0";
}

namespace manactl::adapter::shim_test {
namespace {

// The process has one adapter, so all tests share these settings.
const bool kConfigured = [] {
  return setenv("MANACTL_SIM_SETUP", "ports=2 backend=loopback", 1) == 0;
}();

TEST(Shim, DescribesADeviceThatNetManaAccepts) {
  ASSERT_TRUE(kConfigured);
  int count = 0;
  auto** list = ibv_get_device_list(&count);
  ASSERT_EQ(count, 1);
  EXPECT_STREQ(list[0]->name, "mana_0");
  EXPECT_STREQ(list[0]->ibdev_path, "/sys/class/infiniband/mana_0");
  auto* context = ibv_open_device(list[0]);
  ibv_free_device_list(list);
  ibv_device_attr_ex attr{};
  EXPECT_EQ(ibv_query_device_ex(context, nullptr, &attr), 0);
  EXPECT_EQ(attr.orig_attr.phys_port_cnt, 2);
  EXPECT_EQ(attr.orig_attr.vendor_part_id, 2U);
  EXPECT_NE(attr.raw_packet_caps, 0U);
  EXPECT_EQ(attr.orig_attr.max_qp_wr, 256);
  EXPECT_EQ(ibv_close_device(context), 0);
}

TEST(Shim, SetsTheMtuOfItsInterfacesOnly) {
  ifreq request{{"sim1"}, {}};
  ASSERT_EQ(handle_interface_request(SIOCGIFMTU, &request), 0);
  EXPECT_EQ(request.ifr_mtu, 1500);
  for (const int mtu : {68, 9000}) {
    request.ifr_mtu = mtu;
    EXPECT_EQ(handle_interface_request(SIOCSIFMTU, &request), 0);
    request.ifr_mtu = 0;
    EXPECT_EQ(handle_interface_request(SIOCGIFMTU, &request), 0);
    EXPECT_EQ(request.ifr_mtu, mtu);
  }
  for (const int mtu : {67, 9001}) {
    request.ifr_mtu = mtu;
    EXPECT_EQ(handle_interface_request(SIOCSIFMTU, &request), -1);
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_FALSE(handle_interface_request(SIOCGIFFLAGS, &request));
  for (const auto* other : {"sim2", "eth1", "sim", "sim01x"}) {
    ifreq unknown{};
    std::ranges::copy(std::string_view(other), unknown.ifr_name);
    EXPECT_FALSE(handle_interface_request(SIOCGIFMTU, &unknown)) << other;
  }
}

TEST(Shim, SendsAndReceivesPackets) {
  Client client;
  Sender sender(client);
  Receivers receivers(client, 0);
  for (std::size_t i = 0; i < 60; ++i) client.buffer[i] = static_cast<std::uint8_t>(i);
  for (int round = 0; round < 1000; ++round) {
    receivers.post(0, client.piece(4096, 2048));
    sender.send(client.piece(0, 60));
    const auto* sent = sender.done->poll();
    ASSERT_NE(sent, nullptr);
    EXPECT_EQ(sent[0] & 0x3f, static_cast<int>(wire::CqeType::tx_okay));
    const auto* received = receivers.readers[0]->poll();
    ASSERT_NE(received, nullptr);
    const auto completion = wire::decode<wire::RxCompletion>({received, 60}).value();
    EXPECT_EQ(completion.packets[0].length, 60U);
  }
  EXPECT_EQ(std::memcmp(client.buffer.data(), client.buffer.data() + 4096, 60), 0);
}

TEST(Shim, DetectsTheDoorbellsOfManyQueuesOnOnePage) {
  Client client;
  std::vector<std::unique_ptr<Sender>> senders;
  for (int i = 0; i < 8; ++i) senders.push_back(std::make_unique<Sender>(client));
  for (int round = 0; round < 100; ++round) {
    for (auto& sender : senders) sender->send(client.piece(0, 60));
    for (auto& sender : senders) EXPECT_NE(sender->done->poll(), nullptr);
  }
}

TEST(Shim, GivesEachPortItsOwnPage) {
  Client first(1), second(2);
  Sender one(first), other(second);
  EXPECT_NE(one.queue.db_page, other.queue.db_page);
  EXPECT_NE(one.queue.tx_vp_offset, other.queue.tx_vp_offset);
  one.send(first.piece(0, 60));
  EXPECT_NE(one.done->poll(), nullptr);
  EXPECT_EQ(other.done->poll(), nullptr);
}

TEST(Shim, SignalsTheChannelOfAnArmedQueue) {
  Client client;
  auto* channel = ibv_create_comp_channel(client.context);
  {
    Sender sender(client);
    Receivers receivers(client, 0, channel);
    pollfd wait{channel->fd, POLLIN, 0};
    receivers.post(0, client.piece(4096, 2048));
    receivers.arm(0);
    EXPECT_EQ(poll(&wait, 1, 0), 0);
    sender.send(client.piece(0, 60));
    EXPECT_EQ(poll(&wait, 1, 1000), 1);
    ibv_cq* cq = nullptr;
    void* context = nullptr;
    EXPECT_EQ(ibv_get_cq_event(channel, &cq, &context), 0);
    ibv_ack_cq_events(cq, 1);
    EXPECT_EQ(cq, receivers.cqs[0]);
    EXPECT_EQ(context, &receivers);
    EXPECT_EQ(poll(&wait, 1, 0), 0);
  }
  EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
}

TEST(Shim, GivesAPortToOneOwnerAtATime) {
  Client first, second;
  auto* cq = ibv_create_cq(second.context, kEntries, nullptr, nullptr, 0);
  {
    Sender sender(first);
    EXPECT_EQ(second.create_qp(cq), nullptr);
    EXPECT_EQ(errno, EBUSY);
  }
  auto* qp = second.create_qp(cq);
  ASSERT_NE(qp, nullptr);
  EXPECT_EQ(ibv_destroy_qp(qp), 0);
  EXPECT_EQ(ibv_destroy_cq(cq), 0);
}

TEST(Shim, RejectsWhatLibmanaRejects) {
  Client client;
  auto* cq = ibv_create_cq(client.context, kEntries, nullptr, nullptr, 0);
  EXPECT_EQ(ibv_create_cq(client.context, 257, nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(client.create_qp(cq, IBV_QPT_RC), nullptr);
  EXPECT_EQ(errno, EINVAL);
  ibv_qp_init_attr attr{};
  attr.send_cq = attr.recv_cq = cq;
  attr.cap = {kEntries, 0, 15, 0, 0};
  attr.qp_type = IBV_QPT_RAW_PACKET;
  EXPECT_EQ(ibv_create_qp(client.pd, &attr), nullptr) << "not a parent domain";
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(ibv_destroy_cq(cq), 0);
  ibv_parent_domain_init_attr domain{};
  domain.pd = client.pd;
  domain.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
  EXPECT_EQ(ibv_alloc_parent_domain(client.context, &domain), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  manadv_obj object{};
  EXPECT_EQ(manadv_init_obj(&object, 1U << 3U), EINVAL);
}

TEST(Shim, EnforcesTheOrderOfDestruction) {
  Client client;
  Sender sender(client);
  EXPECT_EQ(ibv_destroy_cq(sender.cq), EBUSY);
  EXPECT_EQ(ibv_dealloc_pd(client.parent), EBUSY);
  EXPECT_EQ(ibv_dealloc_pd(client.pd), EBUSY);
}

TEST(Shim, GivesNewIdsToNewQueues) {
  Client client;
  std::uint32_t before = 0;
  for (int i = 0; i < 3; ++i) {
    Sender sender(client);
    EXPECT_NE(sender.queue.sq_id, before);
    before = sender.queue.sq_id;
  }
}

}  // namespace
}  // namespace manactl::adapter::shim_test
