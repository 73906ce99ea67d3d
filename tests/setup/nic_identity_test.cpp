// SPDX-License-Identifier: MIT

#include "setup/nic_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::setup::nic_identity_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kChannel = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";

// All fields, as the journal stores them.
Values all_fields() {
  return {{"interface", "eth1"},
          {"uuid", kChannel},
          {"vf", "enP30832p0s0"},
          {"mac", "00:0d:3a:76:3b:d1"},
          {"driver", "mana"},
          {"pci", "7870:00:00.0"}};
}

NicIdentity identity_from(const Values& fields) {
  const auto nic = NicIdentity::from_fields(fields);
  EXPECT_TRUE(nic);
  return nic.value_or(NicIdentity{});
}

// A NIC with a MANA VF in a PCI slot.
host::Nic nic_with(const std::string& name, const std::string& pci, unsigned char last) {
  host::Nic nic;
  nic.synthetic.emplace().name = name;
  auto& vf = nic.vf.emplace();
  vf.name = "vf-of-" + name;
  vf.driver = "mana";
  vf.mac = MacAddress{{0, 0x0d, 0x3a, 0x76, 0x3b, last}};
  vf.pci = *PciAddress::parse(pci);
  return nic;
}

TEST(NicIdentity, IsTheSameAfterTheJournal) {
  EXPECT_EQ(identity_from(all_fields()).fields(), all_fields());
  EXPECT_THAT(identity_from({}).fields(), IsEmpty());
}

TEST(NicIdentity, RejectsAnAddressThatCannotBeParsed) {
  for (const char* key : {"uuid", "mac", "pci"}) {
    auto fields = all_fields();
    fields[key] = "x";
    EXPECT_EQ(NicIdentity::from_fields(fields).error().code, Errc::invalid) << key;
  }
}

TEST(NicIdentity, FillsEachMissingFieldFromAnother) {
  const Values other = {{"interface", "eth2"},
                        {"uuid", "000d3a76-3bd2-000d-3a76-3bd2000d3a76"},
                        {"vf", "other"},
                        {"mac", "00:0d:3a:76:3b:d2"},
                        {"driver", "mlx5_core"},
                        {"pci", "7870:00:00.2"}};
  for (const auto& [key, value] : all_fields()) {
    auto nic = identity_from({{key, value}});
    nic.complete_from(identity_from(other));
    auto expected = other;
    expected[key] = value;
    EXPECT_EQ(nic.fields(), expected);
  }
}

TEST(NicIdentity, IsReadFromTheFacts) {
  auto nic = nic_with("eth1", "7870:00:00.0", 0xd1);
  nic.vmbus = *VmbusId::parse(kChannel);
  auto expected = all_fields();
  expected["vf"] = "vf-of-eth1";
  EXPECT_EQ(identity_of(nic).fields(), expected);
  nic.synthetic.reset();
  expected.erase("interface");
  EXPECT_EQ(identity_of(nic).fields(), expected);
  nic.vf.reset();
  EXPECT_EQ(identity_of(nic).fields(), (Values{{"uuid", kChannel}}));
}

TEST(Slots, ListThePortsOfEachPciAddress) {
  auto first = nic_with("eth1", "7870:00:00.2", 1);
  auto second = nic_with("eth2", "7870:00:00.0", 2);
  auto third = nic_with("eth3", "7870:00:00.2", 3);
  first.vmbus = third.vmbus = *VmbusId::parse(kChannel);
  third.vmbus_driver = "uio_hv_generic";
  second.vmbus_driver = "uio_hv_generic";  // its channel is unknown
  const auto slots = slots_of({&first, &second, &third});
  ASSERT_TRUE(slots);
  ASSERT_EQ(slots->size(), 2U);
  EXPECT_EQ(vdev_of(slots->at(0)), "7870:00:00.0,mac=00:0d:3a:76:3b:02");
  EXPECT_THAT(slots->at(0).interfaces, ElementsAre("eth2"));
  EXPECT_THAT(slots->at(0).channels, IsEmpty());
  EXPECT_EQ(vdev_of(slots->at(1)), "7870:00:00.2,mac=00:0d:3a:76:3b:01,mac=00:0d:3a:76:3b:03");
  EXPECT_THAT(slots->at(1).interfaces, ElementsAre("eth1", "eth3"));
  EXPECT_THAT(slots->at(1).channels, ElementsAre(kChannel));
  const auto planned = slots_of({&first}, {&first});
  ASSERT_TRUE(planned);
  EXPECT_THAT(planned->front().channels, ElementsAre(kChannel)) << "prepare will bind it";
}

TEST(Slots, HaveAtMostEightPorts) {
  std::vector<host::Nic> nics;
  for (unsigned char n = 0; n < 9; ++n) nics.push_back(nic_with("eth", "7870:00:00.0", n));
  std::vector<const host::Nic*> ports;
  for (std::size_t n = 0; n < 8; ++n) ports.push_back(&nics[n]);
  EXPECT_TRUE(slots_of(ports));
  ports.push_back(&nics[8]);
  const auto refused = slots_of(ports);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsupported);
  EXPECT_EQ(refused.error().message,
            "7870:00:00.0 has more than 8 ports, the maximum of net_mana: name fewer interfaces");
}

TEST(Slots, RequireAManaVfWithAPciAddress) {
  auto other_driver = nic_with("eth1", "7870:00:00.0", 1);
  other_driver.vf->driver = "mlx5_core";
  auto no_address = nic_with("eth1", "7870:00:00.0", 1);
  no_address.vf->pci.reset();
  auto no_vf = nic_with("eth1", "7870:00:00.0", 1);
  no_vf.vf.reset();
  for (const auto* nic : {&other_driver, &no_address, &no_vf}) {
    const auto refused = slots_of({nic});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unsupported);
    EXPECT_THAT(refused.error().message, HasSubstr("'eth1' has no known MANA VF"));
  }
}

}  // namespace
}  // namespace manactl::setup::nic_identity_test
