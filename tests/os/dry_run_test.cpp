// SPDX-License-Identifier: MIT

#include "os/dry_run.h"

#include <gmock/gmock.h>
#include <linux/if.h>

#include <cerrno>
#include <map>

#include "os/memory_files.h"

namespace manactl::os::dry_run_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kNic = "6045bdc0-bd67-6045-bdc0-bd676045bdc0";
const std::string kDevice = std::string("sys/bus/vmbus/devices/") + kNic;
const std::string kDrivers = "sys/bus/vmbus/drivers/";

class FixedLinks final : public Links {
 public:
  Result<std::vector<Link>> links() const override { return all; }

  Result<std::vector<Address>> addresses() const override {
    return std::vector<Address>{{.index = 2, .text = "10.0.0.4"}};
  }

  Result<std::vector<Route>> routes() const override {
    return std::vector<Route>{{.destination = "default", .gateway = "10.0.0.1", .outputs = {2}}};
  }

  Result<InterfaceSettings> settings(int /*index*/) const override {
    return InterfaceSettings{{"ethtool/rings", "1024 0 0 256"}, {"link/flags", "multicast"}};
  }

  Result<std::vector<Link>> all;
};

class FixedModules final : public Modules {
 public:
  Result<ModuleState> state(std::string_view name) const override {
    const auto found = states.find(name);
    if (found == states.end()) return fail(Errc::io, "no such module");
    return ModuleState{found->second, "sys/module"};
  }

  std::map<std::string, Presence, std::less<>> states;
};

Link link(int index, const char* name, std::optional<int> master, unsigned mtu, unsigned flags) {
  Link result;
  result.index = index;
  result.name = name;
  result.master = master;
  result.mtu = mtu;
  result.flags = flags;
  return result;
}

// The description of a link in one line.
std::string text_of(const Link& link) {
  return fmt::format("{} {} master {} mtu {} flags {:x}",
                     link.index,
                     link.name,
                     link.master.value_or(0),
                     link.mtu,
                     link.flags);
}

class DryRunTest : public ::testing::Test {
 protected:
  DryRunTest() {
    links_.all = std::vector{link(2, "eth1", {}, 1500, IFF_UP | IFF_MULTICAST),
                             link(3, "enP1", 2, 1500, IFF_MULTICAST),
                             link(4, "eth2", 9, 9000, IFF_UP)};
    modules_.states = {{"hv_netvsc", Presence::loaded},
                       {"builtin_driver", Presence::builtin},
                       {"uio_hv_generic", Presence::available}};
    real_.add_file(kDevice + "/class_id", "{}");
    real_.add_link(kDevice + "/driver", "../../../../bus/vmbus/drivers/hv_netvsc");
    real_.add_directory(kDevice + "/net/eth1");
    real_.add_directory("sys/class/uio/uio0");
    real_.add_file("sys/module/mtu", "real\n");
  }

  std::vector<std::string> link_texts() {
    std::vector<std::string> texts;
    const auto links = system_.links.links();
    for (const auto& link : *links) texts.push_back(text_of(link));
    return texts;
  }

  MemoryFiles real_;
  FixedLinks links_;
  FixedModules modules_;
  std::unique_ptr<Ethtool> ethtool_ = open_ethtool();
  std::unique_ptr<Rdma> rdma_ = open_rdma(real_);
  std::unique_ptr<VerbsProbe> verbs_ = open_verbs_probe();
  std::unique_ptr<Devices> devices_ = open_tree_devices(real_);
  std::unique_ptr<Process> process_ = open_process();
  std::unique_ptr<Sockets> sockets_ = open_sockets(real_);
  std::unique_ptr<KernelLog> log_ = open_kernel_log();
  System all_{
      real_, links_, *ethtool_, *rdma_, *verbs_, *devices_, modules_, *process_, *sockets_, *log_};
  DryRun dry_{all_};
  System system_ = dry_.system();
};

TEST_F(DryRunTest, ReadsTheRealSystemUntilItIsChanged) {
  EXPECT_EQ(*system_.files.read("sys/module/mtu"), "real");
  EXPECT_EQ(system_.files.read("sys/module/mtu", 1).error().code, Errc::invalid);
  EXPECT_EQ(*system_.files.link_target(kDevice + "/driver"),
            "../../../../bus/vmbus/drivers/hv_netvsc");
  EXPECT_THAT(*system_.files.list(kDevice + "/net"), ElementsAre("eth1"));
  EXPECT_EQ(system_.files.node("sys/module/mtu")->mode, 0644U);
  EXPECT_EQ(system_.files.node("sys/absent").error().sys, ENOENT);
  EXPECT_THAT(link_texts(),
              ElementsAre("2 eth1 master 0 mtu 1500 flags 1001",
                          "3 enP1 master 2 mtu 1500 flags 1000",
                          "4 eth2 master 9 mtu 9000 flags 1"));
  EXPECT_EQ(system_.links.addresses()->front().text, "10.0.0.4");
  EXPECT_EQ(system_.links.routes()->front().gateway, "10.0.0.1");
  EXPECT_EQ(system_.modules.state("hv_netvsc")->presence, Presence::loaded);
  EXPECT_EQ(&system_.rdma, rdma_.get());
  EXPECT_THAT(dry_.commands(), IsEmpty());
}

TEST_F(DryRunTest, RemembersTheTextOfAFile) {
  ASSERT_TRUE(system_.files.write("sys/module/mtu", "new"));
  ASSERT_TRUE(system_.files.write("etc/created", ""));
  EXPECT_EQ(*system_.files.read("sys/module/mtu"), "new");
  const auto node = system_.files.node("etc/created");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->type, Node::Type::file);
  EXPECT_EQ(node->mode, 0644U);
  EXPECT_EQ(node->uid + node->gid, 0U);
  EXPECT_TRUE(node->readable && node->writable);
  EXPECT_EQ(*real_.read("sys/module/mtu", 9), "real");
  EXPECT_THAT(dry_.commands(), ElementsAre("echo new > /sys/module/mtu", "echo '' > /etc/created"));
}

TEST_F(DryRunTest, HasADriverIfItsModuleIsLoaded) {
  for (const char* name : {"hv_netvsc", "builtin_driver"}) {
    const auto node = system_.files.node(kDrivers + name);
    ASSERT_TRUE(node) << name;
    EXPECT_EQ(node->type, Node::Type::directory);
    EXPECT_EQ(node->mode, 0755U);
    EXPECT_EQ(node->uid + node->gid, 0U);
    EXPECT_TRUE(node->readable && node->writable);
  }
  EXPECT_FALSE(exists(system_.files, kDrivers + "uio_hv_generic"));
  EXPECT_FALSE(exists(system_.files, kDrivers + "unknown"));
  EXPECT_FALSE(exists(system_.files, "sys/bus/pci/drivers/hv_netvsc"));
  ASSERT_TRUE(system_.modules.load("uio_hv_generic"));
  EXPECT_TRUE(exists(system_.files, kDrivers + "uio_hv_generic"));
  EXPECT_EQ(system_.modules.state("uio_hv_generic")->presence, Presence::loaded);
  EXPECT_EQ(system_.modules.state("uio_hv_generic")->evidence, "dry run");
  EXPECT_THAT(dry_.commands(), ElementsAre("modprobe uio_hv_generic"));
}

TEST_F(DryRunTest, RejectsAWriteToADriverThatIsNotLoaded) {
  const auto written = system_.files.write(kDrivers + "uio_hv_generic/bind", kNic);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().sys, ENOENT);
  EXPECT_EQ(written.error().message,
            "cannot write '/sys/bus/vmbus/drivers/uio_hv_generic/bind': No such file or directory");
  EXPECT_EQ(system_.files.write(kDrivers + "absent", "x").error().message,
            "cannot write '/sys/bus/vmbus/drivers/absent/absent': No such file or directory");
}

TEST_F(DryRunTest, ChangesNoDeviceIfAnotherFileOfADriverIsWritten) {
  ASSERT_TRUE(system_.files.write(kDrivers + "hv_netvsc/new_id", kNic));
  EXPECT_EQ(link_name(system_.files, kDevice + "/driver").value_or(""), "hv_netvsc");
  EXPECT_EQ(*system_.files.link_target(kDevice + "/driver"),
            "../../../../bus/vmbus/drivers/hv_netvsc");
  EXPECT_THAT(*system_.files.list(kDevice + "/net"), ElementsAre("eth1"));
  EXPECT_EQ(link_texts().size(), 3U);
}

TEST_F(DryRunTest, RemovesTheInterfaceOfAnUnboundDevice) {
  ASSERT_TRUE(system_.files.write(kDrivers + "hv_netvsc/unbind", kNic));
  EXPECT_EQ(system_.files.link_target(kDevice + "/driver").error().sys, ENOENT);
  EXPECT_EQ(system_.files.list(kDevice + "/net").error().sys, ENOENT);
  EXPECT_EQ(system_.files.list(kDevice + "/uio").error().sys, ENOENT);
  EXPECT_THAT(
      link_texts(),
      ElementsAre("3 enP1 master 0 mtu 1500 flags 1000", "4 eth2 master 9 mtu 9000 flags 1"));
}

TEST_F(DryRunTest, NumbersTheUioDeviceAfterTheExistingOnes) {
  ASSERT_TRUE(system_.files.write(kDrivers + "hv_netvsc/unbind", kNic));
  ASSERT_TRUE(system_.modules.load("uio_hv_generic"));
  ASSERT_TRUE(system_.files.write(kDrivers + "uio_hv_generic/bind", kNic));
  EXPECT_EQ(*system_.files.link_target(kDevice + "/driver"),
            "../../../../bus/vmbus/drivers/uio_hv_generic");
  EXPECT_THAT(*system_.files.list(kDevice + "/uio"), ElementsAre("uio1"));
  EXPECT_EQ(system_.files.list(kDevice + "/net").error().sys, ENOENT);
  EXPECT_EQ(link_texts().size(), 2U);
}

TEST_F(DryRunTest, RestoresTheInterfaceOfADeviceThatIsBoundAgain) {
  ASSERT_TRUE(system_.files.write(kDrivers + "hv_netvsc/unbind", kNic));
  ASSERT_TRUE(system_.files.write(kDrivers + "hv_netvsc/unbind", kNic)) << "a second time";
  ASSERT_TRUE(system_.files.write(kDrivers + "hv_netvsc/bind", kNic));
  EXPECT_EQ(*system_.files.link_target(kDevice + "/driver"),
            "../../../../bus/vmbus/drivers/hv_netvsc");
  EXPECT_THAT(*system_.files.list(kDevice + "/net"), ElementsAre("eth1"));
  EXPECT_EQ(link_texts().size(), 3U);
  EXPECT_EQ(link_texts()[1], "3 enP1 master 2 mtu 1500 flags 1000");
}

TEST_F(DryRunTest, ChangesOnlyTheNamedLink) {
  ASSERT_TRUE(system_.links.set_up(2, false));
  ASSERT_TRUE(system_.links.set_up(3, true));
  ASSERT_TRUE(system_.links.set_mtu(3, 1400));
  ASSERT_TRUE(system_.links.rename(4, *InterfaceName::parse("eth7")));
  ASSERT_TRUE(system_.links.set_mtu(77, 1300));
  EXPECT_THAT(link_texts(),
              ElementsAre("2 eth1 master 0 mtu 1500 flags 1000",
                          "3 enP1 master 2 mtu 1400 flags 1001",
                          "4 eth2 master 9 mtu 9000 flags 1"));
  EXPECT_THAT(dry_.commands(),
              ElementsAre("ip link set eth1 down",
                          "ip link set enP1 up",
                          "ip link set enP1 mtu 1400",
                          "ip link set eth2 name eth7",
                          "ip link set if77 mtu 1300"));
}

TEST_F(DryRunTest, RemembersTheSettingsOfAnInterface) {
  ASSERT_TRUE(system_.links.set(2, "ethtool/rings", "4096 0 0 256"));
  EXPECT_THAT(*system_.links.settings(2),
              ElementsAre(std::pair("link/flags", "multicast"),
                          std::pair("ethtool/rings", "4096 0 0 256")));
  EXPECT_THAT(*system_.links.settings(3),
              ElementsAre(std::pair("ethtool/rings", "1024 0 0 256"),
                          std::pair("link/flags", "multicast")));
  EXPECT_THAT(dry_.commands(), ElementsAre("ethtool -G eth1 rx 4096"));
}

TEST_F(DryRunTest, RecordsAddressesAndRoutes) {
  const Address address{.index = 2, .text = "10.0.0.4", .prefix_length = 24};
  const Route route{.destination = "default", .gateway = "10.0.0.1", .outputs = {4}};
  ASSERT_TRUE(system_.links.add_address(address));
  ASSERT_TRUE(system_.links.remove_address(address));
  ASSERT_TRUE(system_.links.add_route(route));
  ASSERT_TRUE(system_.links.remove_route(
      Route{.destination = "10.0.0.0/24", .gateway = "", .outputs = {}}));
  EXPECT_THAT(dry_.commands(),
              ElementsAre("ip address add 10.0.0.4/24 dev eth1",
                          "ip address del 10.0.0.4/24 dev eth1",
                          "ip route add default dev eth2",
                          "ip route del 10.0.0.0/24 dev "));
}

// The kernel accepts every name without '/', ':' and white space.
TEST_F(DryRunTest, QuotesNamesForTheShell) {
  links_.all = std::vector{link(2, "a;reboot", {}, 1500, IFF_UP)};
  ASSERT_TRUE(dry_.system().links.set_up(2, false));
  ASSERT_TRUE(dry_.system().links.set_mtu(2, 4000));
  EXPECT_THAT(dry_.commands(),
              ElementsAre("ip link set 'a;reboot' down", "ip link set 'a;reboot' mtu 4000"));
}

TEST_F(DryRunTest, ReportsLinksThatCannotBeListed) {
  links_.all = fail(Errc::denied, "no links");
  EXPECT_EQ(system_.links.links().error().code, Errc::denied);
  ASSERT_TRUE(system_.links.set_up(2, true));
  EXPECT_THAT(dry_.commands(), ElementsAre("ip link set if2 up"));
}

}  // namespace
}  // namespace manactl::os::dry_run_test
