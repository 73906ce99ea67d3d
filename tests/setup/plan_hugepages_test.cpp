// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "host/testpmd.h"
#include "setup/make_plan.h"
#include "setup/steps.h"

namespace manactl::setup::plan_hugepages_test {
namespace {

// Plans for hugepages alone.
class MakeHugepagePlan : public MakePlan {
 protected:
  MakeHugepagePlan() {
    request_.interface.reset();
    request_.hugepages = HugepageRequest{10, 0, 0, {}};
  }

  // "<pages> <pool below /sys>, <pages of other entries>", or the error.
  std::string reservation() {
    const auto made = plan();
    if (!made) return made.error().message;
    const auto& values = made->steps.back()->parameters();
    return fmt::format("{} {}, {}",
                       value_at(values, "pages"),
                       value_at(values, "pool").substr(4),
                       value_at(values, "others"));
  }

  void set_pools(const std::vector<std::string>& pools) {
    vm_.state.pools.clear();
    for (const auto& pool : pools) vm_.state.pools[pool] = 0;
    vm_.rebuild();
  }
};

TEST_F(MakeHugepagePlan, RequiresHugepages) {
  EXPECT_EQ(text(),
            "hugepages-1 \nreserve 10 more pages in /"
            "sys/devices/system/node/node0/hugepages/hugepages-2048kB");
  request_.hugepages.reset();
  EXPECT_EQ(code(), Errc::invalid);
  EXPECT_EQ(text(), "neither an interface nor hugepages were requested");
}

TEST_F(MakeHugepagePlan, UsesTheFirstFreeNumber) {
  for (const char* id : {"hugepages-1", "hugepages-2", "hugepages-4"}) {
    Entry entry;
    entry.id = id;
    entry.boot_id = vm_.boot_id;
    entry.ready = true;
    entries_.push_back(entry);
  }
  EXPECT_EQ(plan()->entry.id, "hugepages-3");
}

TEST_F(MakeHugepagePlan, ChoosesThePool) {
  const std::string nodes = "devices/system/node";
  set_pools({"sys/devices/system/node/node0/hugepages/hugepages-2048kB",
             "sys/devices/system/node/node1/hugepages/hugepages-2048kB",
             "sys/devices/system/node/node0/hugepages/hugepages-1048576kB"});
  EXPECT_EQ(reservation(), "10 " + nodes + "/node0/hugepages/hugepages-2048kB, 0");
  request_.hugepages->node = 1;
  EXPECT_EQ(reservation(), "10 " + nodes + "/node1/hugepages/hugepages-2048kB, 0");
  request_.hugepages->page_kib = 1048576;
  EXPECT_EQ(code(), Errc::unsupported);
  EXPECT_EQ(reservation(),
            fmt::format("hugepages of {} are not available: "
                        "'/sys/{}/node1/hugepages/hugepages-1048576kB' does not exist",
                        human_bytes(1U << 30U),
                        nodes));
  request_.hugepages->node.reset();
  EXPECT_EQ(reservation(), "10 " + nodes + "/node0/hugepages/hugepages-1048576kB, 0");
  request_.hugepages->page_kib = 0;
  facts_.memory.default_page_kib = 1048576;
  EXPECT_EQ(reservation(), "10 " + nodes + "/node0/hugepages/hugepages-1048576kB, 0");
  facts_.memory.default_page_kib = 0;
  EXPECT_EQ(reservation(), "10 " + nodes + "/node0/hugepages/hugepages-2048kB, 0");
  set_pools({"sys/kernel/mm/hugepages/hugepages-2048kB"});
  EXPECT_EQ(reservation(), "10 kernel/mm/hugepages/hugepages-2048kB, 0") << "without NUMA";
  request_.hugepages->node = 0;
  EXPECT_EQ(code(), Errc::unsupported);
}

TEST_F(MakeHugepagePlan, RoundsBytesUpToPages) {
  constexpr std::uint64_t kPage = 2U << 20U;
  for (const auto& [bytes, pages] :
       {std::pair{std::uint64_t{1}, 1}, {kPage - 1, 1}, {kPage, 1}, {kPage + 1, 2}}) {
    request_.hugepages = HugepageRequest{0, bytes, 0, {}};
    EXPECT_THAT(reservation(), ::testing::StartsWith(fmt::format("{} ", pages)));
  }
}

TEST_F(MakeHugepagePlan, HasALimit) {
  request_.hugepages->pages = 1U << 30U;
  EXPECT_TRUE(plan());
  ++request_.hugepages->pages;
  EXPECT_EQ(code(), Errc::invalid);
  EXPECT_EQ(text(), "more than 2^30 hugepages requested");
}

TEST_F(MakeHugepagePlan, CountsThePagesOfOtherEntriesInThePool) {
  const auto record = [](const std::string& node, const std::string& granted) {
    auto made = make_record(
        *reserve_hugepages("sys/devices/system/node/" + node + "/hugepages/hugepages-2048kB", 9, 0),
        {{"pages", "1"}});
    if (!granted.empty()) made.after = {{"granted", granted}};
    return made;
  };
  Entry entry;
  entry.boot_id = vm_.boot_id;
  entry.ready = true;
  entry.steps = {record("node0", "5"), record("node1", "20"), record("node0", "7")};
  entries_ = {entry, entry};
  entries_[1].steps = {make_record(*load_module("mana"), {}), record("node0", "")};
  EXPECT_EQ(reservation(), "10 devices/system/node/node0/hugepages/hugepages-2048kB, 12");
}

TEST_F(MakeHugepagePlan, RefusesMorePagesThanTheMemoryAllows) {
  request_.hugepages->pages = 1000000000;
  EXPECT_TRUE(plan()) << "nothing is known about the memory";
  // A quarter of 400 MiB stays free.
  vm_.meminfo = "MemAvailable:     409600 kB\nHugepagesize:       2048 kB\n";
  vm_.rebuild();
  EXPECT_EQ(code(), Errc::unsupported);
  EXPECT_EQ(text(),
            "cannot reserve 1000000000 hugepages of 2 MiB on node 0: more than 150 would "
            "leave too little memory for other programs; request fewer");
  request_.hugepages->pages = 150;
  EXPECT_TRUE(plan());
  ++request_.hugepages->pages;
  EXPECT_EQ(code(), Errc::unsupported);
  // Of much memory, 1 GiB stays free.
  vm_.meminfo = "MemAvailable:    8388608 kB\n";
  vm_.rebuild();
  request_.hugepages = HugepageRequest{0, 7ULL << 30U, 0, {}};
  EXPECT_TRUE(plan());
  ++request_.hugepages->bytes;
  EXPECT_EQ(code(), Errc::unsupported);
}

// A plan for a NIC that reserves what testpmd lacks.
class DefaultHugepages : public MakePlan {
 protected:
  DefaultHugepages() {
    request_.hugepages = HugepageRequest{};
    request_.hugepages->is_default = true;
    needed_ = host::pages_for(host::size_of_testpmd(facts_, 0).hugepage_bytes, 2048);
  }

  // "<pages> of <wanted>", or "" if the plan reserves none.
  std::string reservation() {
    const auto made = plan();
    if (!made) return made.error().message;
    for (const auto& step : made->steps) {
      const auto reserved = hugepages_of(make_record(*step, {}));
      if (reserved) return fmt::format("{} of {}", reserved->pages, reserved->wanted.value_or(0));
    }
    return {};
  }

  void set_free(std::uint64_t pages) { facts_.memory.pools = std::vector{pool(2048, pages)}; }

  static host::HugepagePool pool(std::uint64_t page_kib, std::uint64_t free) {
    return {0, page_kib, free, free};
  }

  std::uint64_t needed_ = 0;
};

TEST_F(DefaultHugepages, AreThePagesThatTestpmdLacks) {
  set_free(0);
  EXPECT_EQ(reservation(), fmt::format("{0} of {0}", needed_));
  set_free(100);
  EXPECT_EQ(reservation(), fmt::format("{0} of {0}", needed_ - 100));
  set_free(needed_ - 1);
  EXPECT_EQ(reservation(), "1 of 1");
  set_free(needed_);
  EXPECT_EQ(reservation(), "");
  facts_.memory.pools = std::vector{pool(2048, 0), pool(1048576, 1)};
  EXPECT_EQ(reservation(), "") << "one page of 1 GiB suffices";
}

// `check` and `status` propose the same: to reserve the missing pages, and to free the others.
TEST_F(DefaultHugepages, AreOnTheNodeOfTheNicAndOthersAreNamed) {
  facts_.memory.pools = std::vector{pool(2048, 0), host::HugepagePool{1, 2048, 300, 250}};
  EXPECT_EQ(reservation(), fmt::format("{0} of {0}", needed_));
  EXPECT_EQ(host::reserve_command(facts_.memory, 0, 2048 * 1024 * needed_),
            fmt::format("echo {} | tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/"
                        "nr_hugepages",
                        needed_));
  EXPECT_THAT(
      plan()->warnings,
      testing::ElementsAre(
          "node 1 has 250 free pages of 2 MiB that no NIC uses; to release them, run 'echo 50 | "
          "tee /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages'"));
  facts_.memory.pools->front() = pool(2048, needed_);
  EXPECT_THAT(plan()->warnings, testing::IsEmpty()) << "nothing is missing";
  set_free(0);
  EXPECT_THAT(plan()->warnings, testing::IsEmpty()) << "no page is elsewhere";
}

TEST_F(DefaultHugepages, AreNotThoseOfAnotherNic) {
  set_free(needed_ + 10);
  Entry other;
  other.interface = "lan1";
  other.boot_id = vm_.boot_id;
  other.ready = true;
  other.steps = {make_record(
      *reserve_hugepages("sys/devices/system/node/node0/hugepages/hugepages-2048kB", needed_, 0),
      {{"pages", "10"}})};
  other.steps.front().after = {{"granted", std::to_string(needed_)}};
  entries_ = {other};
  EXPECT_EQ(reservation(), fmt::format("{0} of {0}", needed_ - 10));
  entries_.front().steps.front().reverted = true;
  EXPECT_EQ(reservation(), "");
  entries_.front().steps.front().reverted = false;
  entries_.front().interface.clear();
  EXPECT_EQ(reservation(), "") << "'prepare --hugepages' has reserved them for any program";
}

TEST_F(DefaultHugepages, SufficeForTheCpusOfTheNode) {
  set_free(0);
  facts_.cpus = CpuList{{0, 1, 2, 3, 4, 5, 6, 7}};
  host::PciFunction function;
  function.address = *eth1().vf->pci;
  function.numa_node = 0;
  facts_.functions = std::vector{function};
  const auto all = host::size_of_testpmd(facts_, 0).hugepage_bytes;
  EXPECT_EQ(reservation(), fmt::format("{0} of {0}", host::pages_for(all, 2048)));
  facts_.memory.node_cpus[0] = CpuList{{0, 1, 2}};
  const auto near = host::size_of_testpmd(facts_, 0).hugepage_bytes;
  EXPECT_LT(near, all);
  EXPECT_EQ(reservation(), fmt::format("{0} of {0}", host::pages_for(near, 2048)));
}

// After a reboot, the pages of the NIC "lan1" are free until its program starts.
TEST_F(DefaultHugepages, AreNotThoseThatWereReservedAtBootForAnotherNic) {
  set_free(needed_ + 10);
  auto& text = vm_.more_files["etc/tmpfiles.d/manactl-lan1.conf"];
  text = fmt::format(
      "# /sys/devices/system/node/node0/hugepages/hugepages-2048kB has {} pages for this NIC in "
      "addition to 10\n",
      needed_);
  vm_.rebuild();
  EXPECT_EQ(reservation(), fmt::format("{0} of {0}", needed_ - 10));
  Entry other;
  other.interface = "lan1";
  other.steps = {make_record(
      *reserve_hugepages("sys/devices/system/node/node0/hugepages/hugepages-2048kB", 5, 0), {})};
  other.steps.front().after = {{"granted", "5"}};
  entries_ = {other};
  EXPECT_EQ(reservation(), "") << "the entry has recorded the pages of this NIC";
  entries_.clear();
  vm_.more_files["etc/tmpfiles.d/manactl-eth1.conf"] = text;
  text.clear();
  vm_.rebuild();
  EXPECT_EQ(reservation(), "") << "these are its own";
}

TEST_F(DefaultHugepages, AreReducedToWhatTheMemoryAllows) {
  set_free(0);
  vm_.meminfo = "MemAvailable:     409600 kB\n";
  vm_.rebuild();
  EXPECT_EQ(reservation(), fmt::format("150 of {}", needed_));
  vm_.meminfo = "MemAvailable:          0 kB\n";
  vm_.rebuild();
  EXPECT_EQ(reservation(), fmt::format("0 of {}", needed_));
}

TEST_F(DefaultHugepages, AreNoneForDirectVerbs) {
  set_free(0);
  request_.vf_only = true;
  EXPECT_EQ(reservation(), "");
  eth1().synthetic.reset();
  eth1().vmbus.reset();
  request_.interface = *InterfaceName::parse("enP30832p0s0d1");
  request_.force_interface = "enP30832p0s0d1";
  EXPECT_EQ(reservation(), fmt::format("{0} of {0}", needed_)) << "DPDK also uses MANA direct";
}

TEST_F(DefaultHugepages, CanBeLeftOutWhereTheKernelHasNone) {
  set_free(0);
  request_.hugepages->page_kib = 4096;
  EXPECT_THAT(reservation(), ::testing::HasSubstr("'--hugepages none' prepares the NIC"));
}

TEST_F(MakePlan, ReservesHugepagesOnTheNodeOfTheNic) {
  request_.hugepages = HugepageRequest{10, 0, 0, {}};
  const auto node = [&](Result<std::vector<host::PciFunction>> functions) {
    facts_.functions = std::move(functions);
    for (const char* name : {"node0", "node1"}) {
      vm_.state.pools[fmt::format("sys/devices/system/node/{}/hugepages/hugepages-2048kB", name)];
    }
    vm_.rebuild();
    const auto made = text();
    return made.find("node1") != std::string::npos   ? 1
           : made.find("node0") != std::string::npos ? 0
                                                     : 9;
  };
  host::PciFunction other;
  other.numa_node = 3;
  host::PciFunction function;
  function.address = *eth1().vf->pci;
  for (const int numa : {-1, 0, 1}) {
    function.numa_node = numa;
    EXPECT_EQ(node(std::vector{other, function}), std::max(numa, 0));
  }
  EXPECT_EQ(node(std::vector{other}), 0);
  EXPECT_EQ(node(fail(Errc::io, "no sysfs")), 0);
}

}  // namespace
}  // namespace manactl::setup::plan_hugepages_test
