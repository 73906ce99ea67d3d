// SPDX-License-Identifier: MIT
//
// Saves and restores settings with the real kernel, in the network namespace of a child process.
// /sys shows another namespace: tests/azure covers the settings in it.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "os/in_namespace.h"
#include "os/scratch.h"
#include "setup/settings.h"
#include "setup/steps.h"

namespace manactl::setup::settings_root_test {
namespace {

using os::test::ip;
using os::test::run;
using os::test::run_in_network_namespace;
using os::test::run_program;
using ::testing::Contains;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;

class Machine {
 public:
  Machine() : live_(os::LiveSystem::open()), clock_(make_boot_clock()) {}

  os::Link one() {
    const auto links = live_->system().links.links();
    for (const auto& link : *links) {
      if (link.name == "one") return link;
    }
    ADD_FAILURE() << "there is no interface 'one'";
    return {};
  }

  Values saved() {
    Values values;
    const auto done = save_settings(live_->system(), one(), values);
    EXPECT_TRUE(done) << done.error().message;
    return values;
  }

  std::string restore(const Values& saved, Lost lost = Lost::all_settings) {
    ManagedSettings managed;
    const auto restored = restore_settings({live_->system(), *clock_}, one(), saved, lost, managed);
    return restored ? "" : restored.error().message;
  }

  void write(const std::string& path, unsigned value) {
    const auto done = live_->system().files.write(path, std::to_string(value));
    EXPECT_TRUE(done) << path << " " << value << ": " << done.error().message;
  }

  Result<> set(const std::string& key, const std::string& value) {
    return live_->system().links.set(one().index, key, value);
  }

 private:
  Result<os::LiveSystem> live_;
  std::unique_ptr<Clock> clock_;
};

void add_one() {
  ip("link add one address 02:00:00:00:00:01 numtxqueues 4 numrxqueues 4 type veth peer name peer "
     "numtxqueues 4 numrxqueues "
     "4");
  ip("link set peer up");
  ip("link set one up");
}

constexpr const char* kCommands[] = {
    "ethtool -L one rx 2 tx 3",
    "ethtool -K one gro on tx-checksum-ip-generic off",
    "ip link set one address 02:00:00:00:00:02",
    "ip link set one promisc on",
    "ip link set one allmulticast on",
    "ip link set one gso_max_size 30000 gso_max_segs 20",
    "ip link property add dev one altname data0 altname data1",
    "ip neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev one nud permanent protocol static",
    "ip neigh add fd00::9 lladdr 02:00:00:00:00:09 router dev one nud permanent",
    "ip neigh add proxy 10.0.0.8 dev one",
    "ip neigh add proxy fd00::8 dev one",
    "ip maddr add 01:00:5e:01:02:03 dev one",
    "bridge fdb add 02:00:00:00:00:07 dev one self",
    "ip token set ::a:b:c:d dev one",
    "tc qdisc replace dev one root handle 7: pfifo limit 77",
    "sysctl -qw net.ipv4.conf.one.rp_filter=2 net.ipv6.conf.one.accept_ra=2",
};

TEST(Settings, ReturnToANewInterface) {
  run_in_network_namespace([] {
    Machine machine;
    add_one();
    const auto initial = machine.saved();
    for (const char* command : kCommands) run(command);
    const auto saved = machine.saved();
    EXPECT_THAT(list_of(saved, "setting"),
                IsSupersetOf({"ethtool/channels 2 3 0 0",
                              "ethtool/feature/rx-gro on",
                              "ethtool/feature/tx-checksum-ip-generic off",
                              "link/mac 02:00:00:00:00:02",
                              "link/flags promisc allmulti multicast",
                              "link/gso-max-size 30000",
                              "link/gso-max-segs 20",
                              "link/altname/data0 ",
                              "link/altname/data1 ",
                              "link/neighbor/10.0.0.9 02:00:00:00:00:09 flags 0 protocol 4",
                              "link/neighbor/fd00::9 02:00:00:00:00:09 flags 128 protocol 0",
                              "link/proxy/10.0.0.8 - flags 8 protocol 0",
                              "link/proxy/fd00::8 - flags 8 protocol 0",
                              "link/multicast/01:00:5e:01:02:03 ",
                              "link/fdb/02:00:00:00:00:07 ",
                              "link/ipv6-token ::a:b:c:d",
                              "link/qdisc pfifo 70000 4d000000",
                              "proc/sys/net/ipv4/conf/@/rp_filter 2"}));
    EXPECT_THAT(list_of(saved, "setting"), Not(Contains(HasSubstr("mc_forwarding"))))
        << "it cannot be written";
    ip("link del one");
    add_one();
    EXPECT_EQ(machine.saved(), initial);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(machine.restore(saved), "");
      EXPECT_EQ(machine.saved(), saved);
    }
  });
}

// veth pairs have neither coalescing nor a message level.
TEST(Settings, OfATapReturnToANewOne) {
  run_in_network_namespace([] {
    Machine machine;
    ip("tuntap add mode tap name one");
    run("ethtool -C one rx-frames 7");
    run("ethtool -s one msglvl 5");
    const auto saved = machine.saved();
    EXPECT_THAT(list_of(saved, "setting"),
                IsSupersetOf({"ethtool/coalescing 0 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
                              "ethtool/msglevel 5"}));
    ip("tuntap del mode tap name one");
    ip("tuntap add mode tap name one");
    EXPECT_THAT(list_of(machine.saved(), "setting"), Not(Contains("ethtool/msglevel 5")));
    EXPECT_EQ(machine.restore(saved), "");
    EXPECT_EQ(machine.saved(), saved);
  });
}

// The commands in a message of restore_settings().
std::vector<std::string> commands_in(std::string_view message) {
  constexpr std::string_view kBefore = "(set it with ";
  std::vector<std::string> commands;
  for (auto at = message.find(kBefore); at != std::string::npos; at = message.find(kBefore, at)) {
    at += kBefore.size();
    commands.emplace_back(message.substr(at, message.find(')', at) - at));
  }
  return commands;
}

TEST(Settings, ThatDifferAreShownWithCommandsThatSetThem) {
  run_in_network_namespace([] {
    Machine machine;
    add_one();
    for (const std::string command : kCommands) {
      // The commands for neighbors and queueing disciplines leave out flags and options.
      if (command.find(" router ") == std::string::npos && !command.starts_with("tc "))
        run(command);
    }
    const auto saved = machine.saved();
    ip("link del one");
    add_one();
    const auto message = machine.restore(saved, Lost::nothing);
    const auto commands = commands_in(message);
    EXPECT_THAT(commands,
                IsSupersetOf({"ethtool -L one rx 2 tx 3",
                              "ethtool -K one rx-gro on",
                              "ip link set dev one promisc on allmulticast on",
                              "echo 2 >/proc/sys/net/ipv4/conf/one/rp_filter"}));
    for (const auto& command : commands) {
      // Debian 12's ip(8) lacks this option. The kernel changes the value together with
      // gso_max_size.
      if (command.find("_ipv4_max_size") == std::string::npos) run_program({"sh", "-c", command});
    }
    EXPECT_EQ(machine.restore(saved, Lost::nothing), "");
  });
}

// Sets some of the settings to random values that the kernel accepts.
void change_some(Machine& machine, std::mt19937& random) {
  const auto number = [&](unsigned most) {
    return std::uniform_int_distribution<unsigned>(0, most)(random);
  };
  const auto any_mac = fmt::format("02:00:00:00:00:{:02x}", number(255));
  const std::vector<std::pair<std::string, std::string>> choices = {
      {"ethtool/channels", fmt::format("{} {} 0 0", 1 + number(3), 1 + number(3))},
      {"ethtool/feature/rx-gro", number(1) != 0 ? "on" : "off"},
      {"ethtool/feature/tx-tcp-segmentation", number(1) != 0 ? "on" : "off"},
      {"link/flags", number(1) != 0 ? "promisc multicast" : "allmulti"},
      {"link/gso-max-size", std::to_string(3000 + number(60000))},
      {"link/gro-max-size", std::to_string(3000 + number(60000))},
      {fmt::format("link/altname/data{}", number(1000)), ""},
      {fmt::format("link/neighbor/10.0.0.{}", 1 + number(200)), any_mac + " flags 0 protocol 4"},
      {fmt::format("link/neighbor/fd00::{:x}", 1 + number(200)), any_mac + " flags 0 protocol 0"},
      {fmt::format("link/proxy/10.1.0.{}", 1 + number(200)), "- flags 8 protocol 0"},
      {"link/multicast/01:00:5e:01:02:03", ""},
      {"link/fdb/" + any_mac, ""},
      {"link/ipv6-token", fmt::format("::a:b:c:{:x}", 1 + number(200))},
  };
  for (const auto& [key, value] : choices) {
    if (number(1) == 0) continue;
    const auto done = machine.set(key, value);
    EXPECT_TRUE(done) << key << " " << value << ": " << done.error().message;
  }
  if (number(1) != 0) machine.write("proc/sys/net/ipv4/conf/one/rp_filter", number(2));
  if (number(1) != 0) machine.write("proc/sys/net/ipv6/conf/one/hop_limit", 1 + number(254));
  if (number(1) != 0) machine.write("proc/sys/net/ipv4/neigh/one/gc_stale_time", number(1000));
}

TEST(Settings, ReturnWithRandomValues) {
  run_in_network_namespace([] {
    Machine machine;
    std::mt19937 random(20261127);
    for (int round = 0; round < 200 && !::testing::Test::HasFailure(); ++round) {
      add_one();
      change_some(machine, random);
      const auto saved = machine.saved();
      ip("link del one");
      add_one();
      EXPECT_EQ(machine.restore(saved), "") << "round " << round;
      EXPECT_EQ(machine.saved(), saved) << "round " << round;
      ip("link del one");
    }
  });
}

// The kernel removes neighbors if the interface is set down.
TEST(Settings, OfAnInterfaceThatWasSetDownAreItsNeighbors) {
  run_in_network_namespace([] {
    Machine machine;
    add_one();
    for (const char* command : kCommands) run(command);
    const auto saved = machine.saved();
    ip("link set one down");
    ip("link set one up");
    EXPECT_NE(machine.saved(), saved);
    EXPECT_EQ(machine.restore(saved, Lost::neighbors), "");
    EXPECT_EQ(machine.saved(), saved);
  });
}

TEST(Settings, MayIncludeTenThousandNeighbors) {
  std::string commands;
  for (unsigned i = 0; i < 10'000; ++i) {
    commands += fmt::format(
        "neigh add 10.9.{}.{} lladdr 02:00:00:00:00:09 dev one nud permanent\n", i >> 8U, i & 255U);
  }
  const manactl::test::Scratch scratch;
  scratch.file("neighbors", commands);
  run_in_network_namespace([&] {
    Machine machine;
    add_one();
    ip("-batch " + (scratch.path() / "neighbors").string());
    const auto saved = machine.saved();
    const auto sorted = [](const Values& values) {
      auto texts = list_of(values, "setting");
      std::ranges::sort(texts);
      return texts;
    };
    EXPECT_THAT(sorted(saved), SizeIs(Gt(10'000U)));
    ip("link del one");
    add_one();
    EXPECT_EQ(machine.restore(saved), "");
    EXPECT_TRUE(sorted(machine.saved()) == sorted(saved));
  });
}

TEST(Settings, ThatTheKernelRefusesAreReported) {
  run_in_network_namespace([] {
    Machine machine;
    add_one();
    EXPECT_EQ(machine.restore({{list_key("setting", 0), "ethtool/channels 9 9 0 0"}}),
              "the setting ethtool/channels was '9 9 0 0', and is '4 4 0 0' now: the ethtool "
              "request for 'one' failed: Invalid argument (set it with ethtool -L one rx 9 tx 9)");
  });
}

// A journal can contain anything.
TEST(Settings, WithWrongValuesAreRejected) {
  run_in_network_namespace([] {
    Machine machine;
    add_one();
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {"ethtool/channels", "1 1"},
             {"ethtool/channels", "1 1 0 x"},
             {"ethtool/feature/rx-gro", "perhaps"},
             {"ethtool/feature/none", "on"},
             {"ethtool/hash-fields/tcp4", "x"},
             {"ethtool/hash-fields/tcp5", "1"},
             {"ethtool/rss", "1 -"},
             {"ethtool/rss", "1 0 0"},
             {"ethtool/rss", "300 - 0"},
             {"ethtool/rss", "1 - x"},
             {"ethtool/none", "1"},
             {"link/flags", "promisc none"},
             {"link/mac", "02:00:00:00:00"},
             {"link/gso-max-size", "x"},
             {"link/ipv6-token", "x"},
             {"link/neighbor/10.0.0.9", "02:00:00:00:00:09"},
             {"link/neighbor/10.0.0.9", "x flags 0 protocol 4"},
             {"link/neighbor/10.0.0.9", "02:00:00:00:00:09 flags 0 protocol 256"},
             {"link/neighbor/10.0.0.x", "02:00:00:00:00:09 flags 0 protocol 4"},
             {"link/fdb/x", ""},
             {"link/multicast/x", ""},
             {"link/qdisc", "pfifo 70000"},
             {"link/qdisc", "htb 70000 -"},
             {"link/qdisc", "pfifo x -"},
             {"link/qdisc", "pfifo 70000 4d0"},
             {"link/none", ""},
             {"none", ""}}) {
      const auto done = machine.set(key, value);
      ASSERT_FALSE(done) << key << " " << value;
      EXPECT_TRUE(done.error().code == Errc::invalid || done.error().code == Errc::not_found)
          << key << " " << value << ": " << done.error().message;
    }
  });
}

// Steps of tune, on the real kernel.
TEST(ChangedSettings, ReturnToTheirFormerValues) {
  run_in_network_namespace([] {
    add_one();
    auto live = os::LiveSystem::open();
    const auto clock = make_boot_clock();
    const StepContext context{live->system(), *clock};
    const SettingChange changes[] = {
        {"ethtool/channels", "2 3 * *", "channels to 2"},
        {"ethtool/feature/tx-tcp-segmentation", "off", "tso to off"},
        {"link/qdisc", "pfifo", "qdisc to pfifo"},
    };
    Machine machine;
    const auto before = machine.saved();
    for (const auto& change : changes) {
      const auto step = change_setting({"one"}, change);
      const auto observed = step->observe(context.system);
      ASSERT_TRUE(observed) << change.key << ": " << observed.error().message;
      EXPECT_FALSE(step->is_done(*observed)) << change.key;
      auto record = make_record(*step, *observed);
      record.begun = true;
      const auto after = step->apply(context);
      ASSERT_TRUE(after) << change.key << ": " << after.error().message;
      record.after = *after;
      const auto verified = step->verify(context.system);
      EXPECT_TRUE(verified) << change.key << ": " << verified.error().message;
      EXPECT_TRUE(step->is_done(*step->observe(context.system))) << change.key;
      const auto reverted =
          (*make_step(record))->revert(context, {record, {}, false, false, {}, {}});
      EXPECT_TRUE(reverted) << change.key << ": " << reverted.error().message;
      EXPECT_EQ(*step->observe(context.system), *observed) << change.key;
    }
    EXPECT_EQ(machine.saved(), before);
  });
}

}  // namespace
}  // namespace manactl::setup::settings_root_test
