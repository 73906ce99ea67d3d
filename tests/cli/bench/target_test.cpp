// SPDX-License-Identifier: MIT

#include "cli/bench/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/options.h"
#include "datapath/plan/plan.h"
#include "os/memory_files.h"
#include "support/fixtures.h"

namespace manactl::cli::target_test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(FindPort, AcceptsAPreparedNic) {
  auto facts = host::facts_of("prepared-uio");
  for (const auto& nic : *facts.nics) {
    if (!nic.is_prepared()) continue;
    ASSERT_TRUE(nic.vf);
    const auto port = find_prepared_port(facts, nic.vf->name);
    ASSERT_TRUE(port) << port.error().error.message;
    EXPECT_EQ(port->mac, nic.vf->mac);
    EXPECT_EQ(port->pci, *nic.vf->pci);
    EXPECT_EQ(port->vmbus, nic.vmbus);
    return;
  }
  FAIL() << "the fixture has no prepared NIC";
}

const host::Nic* prepared_nic(const host::Facts& facts) {
  for (const auto& nic : *facts.nics) {
    if (nic.is_prepared() && nic.vf) return &nic;
  }
  return nullptr;
}

TEST(DevicesToMeasure, NamesANicThatCarriesNothing) {
  const auto devices = devices_to_measure(host::facts_of("healthy-two-nics"));
  ASSERT_FALSE(devices.empty());
  EXPECT_THAT(devices.front(), StartsWith("manactl bench eth1 "));
}

TEST(DevicesToMeasure, IncludeThoseWithoutANic) {
  const auto devices = devices_to_measure(host::facts_of("not-azure"));
  const auto has = [&](const std::string& word) {
    return std::ranges::any_of(
        devices, [&](const auto& line) { return line.find(word) != std::string::npos; });
  };
  EXPECT_THAT(devices.front(), StartsWith("manactl bench IFACE "));
  EXPECT_TRUE(has("--vdev net_null0"));
  EXPECT_TRUE(has("--sim"));
}

// Returns a journal entry that prepare wrote while the kernel still used the NIC.
setup::Entry entry_of(const host::Nic& nic) {
  setup::Entry entry;
  entry.interface = "eth7";
  entry.nic.mac = nic.vf->mac;
  setup::StepRecord step;
  step.kind = setup::StepKind::save_addresses;
  step.before = {{"address.0", "fe80::1/64 scope 253"},
                 {"address.1", "10.0.1.4/24 broadcast 10.0.1.255 scope 0"},
                 {"mtu", "1500"}};
  entry.steps.push_back(step);
  return entry;
}

TEST(FindPort, ReadsNameAndAddressFromTheJournal) {
  const auto facts = host::facts_of("prepared-uio");
  const auto* nic = prepared_nic(facts);
  ASSERT_NE(nic, nullptr);
  const auto port = find_prepared_port(facts, "eth7", {entry_of(*nic)});
  ASSERT_TRUE(port) << port.error().error.message;
  EXPECT_EQ(port->interface, "eth7");
  EXPECT_EQ(port->mac, nic->vf->mac);
  EXPECT_EQ(port->mtu, nic->vf->mtu);
  ASSERT_TRUE(port->ip);
  EXPECT_EQ(port->ip->str(), "10.0.1.4");
}

TEST(FindPort, HasNoAddressWithoutAJournal) {
  const auto facts = host::facts_of("prepared-uio");
  const auto* nic = prepared_nic(facts);
  ASSERT_NE(nic, nullptr);
  const auto port = find_prepared_port(facts, nic->name());
  ASSERT_TRUE(port) << port.error().error.message;
  EXPECT_FALSE(port->ip);
  auto other = entry_of(*nic);
  other.nic.mac = *MacAddress::parse("00:00:00:00:00:01");
  EXPECT_FALSE(find_prepared_port(facts, "eth7", {other}));
}

TEST(CpusNear, AreOnTheNumaNodesOfTheNics) {
  auto facts = host::facts_of("prepared-uio");
  const auto* nic = prepared_nic(facts);
  ASSERT_NE(nic, nullptr);
  os::MemoryFiles files;
  files.add_file("sys/devices/system/node/node1/cpulist", "4-6\n");
  datapath::Nic port;
  port.pci = *nic->vf->pci;
  for (auto& function : *facts.functions) function.numa_node = 1;
  EXPECT_THAT(cpus_near(files, facts, {port}).cpus, ElementsAre(4, 5, 6));
  EXPECT_THAT(cpus_near(files, facts, {}).cpus, IsEmpty());
  for (auto& function : *facts.functions) function.numa_node = -1;
  EXPECT_THAT(cpus_near(files, facts, {port}).cpus, IsEmpty());
}

TEST(FindPort, PrintsTheCommandForANicThatIsNotPrepared) {
  auto facts = host::facts_of("healthy-two-nics");
  for (auto& nic : *facts.nics) nic.carries.clear();
  const auto port = find_prepared_port(facts, "eth1");
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().error.code, Errc::unsupported);
  EXPECT_THAT(port.error().commands, ElementsAre("manactl prepare eth1"));
}

TEST(FindPort, HasNoChannelIfBothLinksAreDown) {
  auto facts = host::facts_of("healthy-two-nics");
  for (auto& nic : *facts.nics) {
    nic.carries.clear();
    if (nic.name() != "eth1") continue;
    nic.vf->up = false;
    EXPECT_FALSE(find_prepared_port(facts, "eth1")) << "the synthetic interface is up";
    nic.synthetic->up = false;
  }
  const auto port = find_prepared_port(facts, "eth1");
  ASSERT_TRUE(port);
  EXPECT_FALSE(port->vmbus);
}

TEST(FindPort, RefusesTheInterfaceOfTheSshSession) {
  auto facts = host::facts_of("healthy-two-nics");
  for (auto& nic : *facts.nics) nic.carries = {"default route"};
  const auto port = find_prepared_port(facts, "eth0");
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().error.code, Errc::denied);
  EXPECT_THAT(port.error().error.message, HasSubstr("default route"));
}

TEST(FindPort, RejectsNicsOfOtherVendors) {
  auto facts = host::facts_of("mlx5-vm");
  for (auto& nic : *facts.nics) nic.carries.clear();
  const auto port = find_prepared_port(facts, facts.nics->front().name());
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().error.code, Errc::unsupported);
}

TEST(FindVerbsPort, RequiresOnlyThatTheLinkIsDown) {
  auto facts = host::facts_of("healthy-two-nics");
  for (auto& nic : *facts.nics) {
    nic.carries.clear();
    if (nic.vf) nic.vf->up = false;
  }
  const auto port = find_unbound_port(facts, "eth1");
  ASSERT_TRUE(port) << port.error().error.message;
  EXPECT_EQ(port->mac, facts.find_nic("eth1")->vf->mac);
  EXPECT_FALSE(port->vmbus);
}

TEST(FindVerbsPort, NamesTheLinkThatIsUp) {
  auto facts = host::facts_of("healthy-two-nics");
  for (auto& nic : *facts.nics) nic.carries.clear();
  const auto& vf = *facts.find_nic("eth1")->vf;
  ASSERT_TRUE(vf.up);
  const auto port = find_unbound_port(facts, "eth1");
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().error.code, Errc::busy);
  EXPECT_THAT(port.error().commands, ElementsAre(fmt::format("ip link set {} down", vf.name)));
}

TEST(FindVerbsPort, RefusesTheInterfaceOfTheSshSession) {
  auto facts = host::facts_of("healthy-two-nics");
  for (auto& nic : *facts.nics) nic.carries = {"default route"};
  const auto port = find_unbound_port(facts, "eth0");
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().error.code, Errc::denied);
}

TEST(FindManaPort, AcceptsPortsInUse) {
  auto facts = host::facts_of("healthy-two-nics");
  for (auto& nic : *facts.nics) nic.carries = {"default route"};
  const auto port = find_mana_port(facts, "eth0");
  ASSERT_TRUE(port) << port.error().error.message;
  EXPECT_EQ(port->interface, "eth0");
  EXPECT_EQ(port->pci, facts.find_nic("eth0")->vf->pci);
  EXPECT_EQ(find_mana_port(facts, "eth9").error().error.code, Errc::not_found);
}

// Returns the NICs of a fixture without those other than `name`, so that its PCI address is unique.
host::Facts facts_with_only(const char* fixture, const std::string& name) {
  auto facts = host::facts_of(fixture);
  std::erase_if(*facts.nics, [&](const host::Nic& nic) { return nic.name() != name; });
  for (auto& nic : *facts.nics) {
    nic.carries.clear();
    nic.vf->up = false;
  }
  EXPECT_EQ(facts.nics->size(), 1U);
  return facts;
}

TEST(FindPort, AcceptsTheAddressesOfANic) {
  auto prepared = host::facts_of("prepared-uio");
  const auto name = prepared_nic(prepared)->name();
  prepared = facts_with_only("prepared-uio", name);
  const auto kernel = facts_with_only("healthy-two-nics", "eth1");
  const auto& unbound = *prepared.nics->front().vf;
  const auto& bound = *kernel.nics->front().vf;
  for (const auto& address : {unbound.mac.str(), unbound.pci->str()}) {
    const auto port = find_prepared_port(prepared, address);
    ASSERT_TRUE(port) << port.error().error.message;
    EXPECT_EQ(port->mac, unbound.mac);
    EXPECT_EQ(port->interface, name);
  }
  for (const auto& address : {bound.mac.str(), bound.pci->str()}) {
    for (const auto& port : {find_unbound_port(kernel, address), find_mana_port(kernel, address)}) {
      ASSERT_TRUE(port) << port.error().error.message;
      EXPECT_EQ(port->mac, bound.mac);
      EXPECT_EQ(port->interface, "eth1");
    }
  }
}

TEST(FindManaPort, RejectsOtherDrivers) {
  const auto facts = host::facts_of("mlx5-vm");
  const auto port = find_mana_port(facts, "eth0");
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().error.code, Errc::unsupported);
  EXPECT_THAT(port.error().error.message, HasSubstr("mlx5_core"));
}

TEST(EngineOption, IsAutoOrTheNameOfAnEngine) {
  EXPECT_EQ(parse_engine("auto").value(), nullptr);
  EXPECT_FALSE(parse_engine("tcp"));
  std::string choice = "auto";
  for (const auto* engine : datapath::kEngines) {
    EXPECT_EQ(parse_engine(engine->name).value(), engine);
    choice += fmt::format("|{}", engine->name);
  }
  EXPECT_EQ(engine_choice(), choice);
}

TEST(PlanErrors, NameTheOptionOfEveryField) {
  for (const auto& [field, name] : datapath::kPlanFields) {
    const auto error = with_options(
        Error{Errc::invalid, 0, fmt::format("{} 3: must be less than {}", name, name)});
    EXPECT_THAT(error.message, testing::MatchesRegex("--[a-z-]+ 3: must be less than --[a-z-]+"))
        << name;
  }
  EXPECT_EQ(with_options(Error{Errc::io, 0, "the plan.txt"}).message, "the plan.txt");
}

host::Facts with_pages(std::uint64_t free, unsigned uid) {
  auto facts = host::facts_of("healthy-two-nics");
  facts.memory.pools = std::vector<host::HugepagePool>{{0, 2048, free, free}};
  facts.memory.default_page_kib = 2048;
  host::Limits limits;
  limits.uid = uid;
  facts.limits = limits;
  return facts;
}

datapath::BenchPlan virtual_plan() {
  datapath::BenchPlan plan;
  plan.vdevs = {"net_null0"};
  plan.queues = 4;
  return plan;
}

TEST(ChooseMemory, UsesOrdinaryMemoryForAVirtualDevice) {
  auto plan = virtual_plan();
  const auto note = choose_memory(with_pages(0, 0), plan);
  ASSERT_TRUE(note);
  EXPECT_FALSE(plan.hugepages);
  EXPECT_THAT(*note, HasSubstr("no hugepages are free"));
}

TEST(ChooseMemory, UsesOrdinaryMemoryWithoutRoot) {
  auto plan = virtual_plan();
  const auto note = choose_memory(with_pages(4096, 1000), plan);
  ASSERT_TRUE(note);
  EXPECT_FALSE(plan.hugepages);
}

TEST(ChooseMemory, RequiresHugepagesForANic) {
  auto plan = virtual_plan();
  plan.vdevs.clear();
  plan.nics.resize(1);
  const auto note = choose_memory(with_pages(0, 0), plan);
  ASSERT_FALSE(note);
  EXPECT_EQ(note.error().error.code, Errc::unsupported);
  EXPECT_THAT(note.error().error.message, EndsWith("are needed and 0 are free"));
}

TEST(ChooseMemory, ReportsHowManyHugepagesAreNeeded) {
  auto plan = virtual_plan();
  const auto note = choose_memory(with_pages(1, 0), plan);
  ASSERT_FALSE(note);
  EXPECT_EQ(note.error().error.code, Errc::unsupported);
  EXPECT_THAT(note.error().error.message,
              HasSubstr("are needed and 1 is free; use --no-huge to measure without hugepages"));
  const auto missing = datapath::pages_needed(plan, 2048) - 1;
  EXPECT_THAT(note.error().commands,
              ElementsAre(fmt::format("manactl prepare --hugepages {}", missing)));
}

// 'prepare' reserves pages of the kernel's default size too. With pages of 64 KiB, it is 512 MiB.
TEST(ChooseMemory, NeedsFewPagesOfALargeDefaultSize) {
  auto plan = virtual_plan();
  plan.vdevs.clear();
  plan.nics.resize(1);
  auto facts = with_pages(0, 0);
  facts.memory.default_page_kib = 524288;
  facts.memory.pools->front().page_kib = 524288;
  const auto note = choose_memory(facts, plan);
  ASSERT_FALSE(note);
  EXPECT_THAT(note.error().error.message, HasSubstr("1 hugepage of 512 MiB is needed"));
  EXPECT_THAT(note.error().commands, ElementsAre("manactl prepare --hugepages 1"));
}

TEST(ChooseMemory, UsesHugepagesIfEnoughAreFree) {
  auto plan = virtual_plan();
  const auto note = choose_memory(with_pages(4096, 0), plan);
  ASSERT_TRUE(note);
  EXPECT_TRUE(plan.hugepages);
  EXPECT_EQ(*note, "");
}

}  // namespace
}  // namespace manactl::cli::target_test
