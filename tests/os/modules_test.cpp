// SPDX-License-Identifier: MIT

#include "os/modules.h"

#include <gtest/gtest.h>

#include "os/libkmod.h"
#include "os/memory_files.h"
#include "os/modprobe_config.h"
#include "os/scratch.h"

namespace manactl::os::modules_test {
namespace {

constexpr const char* kRelease = "6.8.0";

class TreeModules : public ::testing::Test {
 protected:
  TreeModules() {
    files_.add_file("lib/modules/6.8.0/modules.builtin",
                    "kernel/drivers/net/hyperv/hv_netvsc.ko\nkernel/fs/built-in-x.ko\n");
    files_.add_file(
        "lib/modules/6.8.0/modules.dep",
        "kernel/drivers/mana/mana.ko.zst: kernel/a/x_mana.ko\n"
        "kernel/drivers/mana_ib.ko: kernel/drivers/ib_uverbs.ko kernel/drivers/mana.ko\n"
        "kernel/drivers/uio/uio-hv_generic.ko.xz:\n");
  }

  Presence presence(const char* name) const {
    const auto state = open_modules(files_, kRelease, false)->state(name);
    EXPECT_TRUE(state) << name;
    return state ? state->presence : Presence::missing;
  }

  MemoryFiles files_;
};

TEST_F(TreeModules, AreLoadedIfSysfsHasInitstate) {
  files_.add_file("sys/module/mana/initstate", "live\n");
  files_.add_directory("sys/module/hv_netvsc/parameters");
  EXPECT_EQ(presence("mana"), Presence::loaded);
  EXPECT_EQ(presence("hv-netvsc"), Presence::builtin);
}

TEST_F(TreeModules, AreFoundInTheListsOfTheRelease) {
  EXPECT_EQ(presence("built_in_x"), Presence::builtin);
  EXPECT_EQ(presence("mana"), Presence::available);
  EXPECT_EQ(presence("uio_hv_generic"), Presence::available);
  for (const char* absent : {"man", "ana", "mana_i", "netvsc", "hyperv", "ko", "drivers"}) {
    EXPECT_EQ(presence(absent), Presence::missing) << absent;
  }
}

TEST_F(TreeModules, AreMissingWithoutLists) {
  const MemoryFiles nothing;
  const auto state = open_modules(nothing, kRelease, false)->state("mana");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->presence, Presence::missing);
  EXPECT_EQ(state->evidence, "lib/modules/6.8.0/modules.dep");
}

TEST_F(TreeModules, NameTheFileThatBlacklistsThem) {
  files_.add_file("etc/modprobe.d/no.conf", "# blacklist uio_hv_generic\nblacklist  mana-ib\n");
  const auto state = open_modules(files_, kRelease, false)->state("mana_ib");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->presence, Presence::blacklisted);
  EXPECT_EQ(state->evidence, "etc/modprobe.d/no.conf");
  EXPECT_EQ(presence("uio_hv_generic"), Presence::available);
}

TEST_F(TreeModules, CanBeBlacklistedOnTheKernelCommandLine) {
  files_.add_file("proc/cmdline", "quiet module_blacklist=a,mana root=/dev/sda\n");
  EXPECT_EQ(presence("mana"), Presence::blacklisted);
  EXPECT_EQ(presence("mana_ib"), Presence::available);
}

TEST_F(TreeModules, RejectNamesThatArePaths) {
  const auto modules = open_modules(files_, kRelease, false);
  for (const char* bad : {"", "..", "../x", "/etc"}) EXPECT_FALSE(modules->state(bad)) << bad;
}

TEST_F(TreeModules, HaveTheFileThatShowsTheirState) {
  files_.add_file("sys/module/mana_ib/initstate", "live\n");
  files_.add_directory("sys/module/uio_hv_generic");
  files_.add_directory("sys/module/only_in_sysfs");
  files_.add_file("etc/modprobe.d/a.conf", "blacklist x\n");
  for (const auto& [name, presence, evidence] :
       {std::tuple{"mana-ib", Presence::loaded, "sys/module/mana_ib"},
        std::tuple{"uio_hv_generic", Presence::loaded, "sys/module/uio_hv_generic"},
        std::tuple{"only_in_sysfs", Presence::builtin, "sys/module/only_in_sysfs"},
        std::tuple{"hv_netvsc", Presence::builtin, "lib/modules/6.8.0/modules.builtin"},
        std::tuple{"mana", Presence::available, "lib/modules/6.8.0/modules.dep"},
        std::tuple{"absent", Presence::missing, "lib/modules/6.8.0/modules.dep"}}) {
    const auto state = open_modules(files_, kRelease, false)->state(name);
    ASSERT_TRUE(state) << name;
    EXPECT_EQ(state->presence, presence) << name;
    EXPECT_EQ(state->evidence, evidence) << name;
  }
}

TEST_F(TreeModules, AreFoundByTheirWholeNameOnly) {
  files_.add_file("lib/modules/6.8.0/modules.dep",
                  "first.ko:\nkernel/xmana.ko:\nkernel/mana.kx:\nkernel/mana_x.ko:\n"
                  "_ab_ab.ko:\nkernel/ab-cd.ko: kernel/aa_bb.ko\nlast.ko");
  for (const char* name : {"first", "xmana", "mana_x", "_ab_ab", "ab_cd", "last"}) {
    EXPECT_EQ(presence(name), Presence::available) << name;
  }
  for (const char* name : {"mana", "x", "_ab", "ab", "b_cd", "_", "__", "irst", "aa_bb_c", "las"}) {
    EXPECT_EQ(presence(name), Presence::missing) << name;
  }
}

TEST_F(TreeModules, AreFoundAtTheBeginningOfAList) {
  for (const char* name : {"a-bcd", "bcd-a", "_abc"}) {
    files_.add_file("lib/modules/6.8.0/modules.dep", std::string(name) + ".ko:");
    EXPECT_EQ(presence(name), Presence::available) << name;
  }
  files_.add_file("lib/modules/6.8.0/modules.dep", "bcd.ko:");
  EXPECT_EQ(presence("a_bcd"), Presence::missing);
}

TEST_F(TreeModules, AreUnknownIfAListCannotBeRead) {
  for (const char* list : {"modules.builtin", "modules.dep"}) {
    MemoryFiles files;
    const auto path = std::string("lib/modules/6.8.0/") + list;
    files.add_node(path, Node{.type = Node::Type::file});
    const auto state = open_modules(files, kRelease, false)->state("mana");
    ASSERT_FALSE(state) << list;
    EXPECT_EQ(state.error().message, "cannot read '/" + path + "': Permission denied");
  }
}

TEST_F(TreeModules, AreUnknownIfTheConfigurationCannotBeRead) {
  files_.add_node("etc/modprobe.d/a.conf", Node{.type = Node::Type::file});
  const auto state = open_modules(files_, kRelease, false)->state("mana");
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().message, "cannot read '/etc/modprobe.d/a.conf': Permission denied");
  MemoryFiles files;
  files.add_file("lib/modules/6.8.0/modules.dep", "mana.ko:");
  files.add_link("run/modprobe.d", "modprobe.d");  // a loop
  EXPECT_EQ(open_modules(files, kRelease, false)->state("mana").error().code, Errc::invalid);
}

TEST_F(TreeModules, ReadTheConfigurationOnce) {
  const auto modules = open_modules(files_, kRelease, false);
  EXPECT_EQ(modules->state("mana")->presence, Presence::available);
  files_.add_file("etc/modprobe.d/a.conf", "blacklist mana\nblacklist mana_ib\n");
  EXPECT_EQ(modules->state("mana_ib")->presence, Presence::available);
  EXPECT_EQ(presence("mana_ib"), Presence::blacklisted);
}

TEST(ModprobeConfig, ReadsEachDirectoryInItsOrder) {
  const std::vector<std::string> directories = {"etc/modprobe.d",
                                                "run/modprobe.d",
                                                "usr/local/lib/modprobe.d",
                                                "usr/lib/modprobe.d",
                                                "lib/modprobe.d"};
  MemoryFiles files;
  EXPECT_FALSE(ModprobeConfig(files).blocking_file("mana")->has_value());
  for (auto dir = directories.rbegin(); dir != directories.rend(); ++dir) {
    files.add_file(*dir + "/x.conf", "blacklist mana\n");
    EXPECT_EQ(ModprobeConfig(files).blocking_file("mana")->value_or(""), *dir + "/x.conf");
  }
}

TEST(ModprobeConfig, HasLinesThatPreventLoading) {
  for (const auto& [text, blocks] : {std::pair{"blacklist mana", true},
                                     {"blacklist mana extra", true},
                                     {"x\nblacklist mana\ny", true},
                                     {"blacklist \\\nmana", true},
                                     {"black\\\nlist ma\\\nna", true},
                                     {"install mana /bin/true x", true},
                                     {"install mana false", true},
                                     {"install mana /sbin/x true", false},
                                     {"install mana", false},
                                     {"install /bin/true mana", false},
                                     {"options mana false", false},
                                     {"#blacklist mana", false},
                                     {"# mana", false},
                                     {"blacklist man", false},
                                     {"blacklist", false},
                                     {"", false}}) {
    MemoryFiles files;
    files.add_file("etc/modprobe.d/x.conf", text);
    EXPECT_EQ(ModprobeConfig(files).blocking_file("mana")->has_value(), blocks) << text;
  }
}

TEST(ModprobeConfig, HasOptionsOfTheKernelCommandLine) {
  for (const auto& [text, blocks] : {std::pair{"module_blacklist=mana", true},
                                     {"a modprobe.blacklist=x,mana b", true},
                                     {"module_blacklist=x", false},
                                     {"module_blacklist", false},
                                     {"mana=mana", false},
                                     {"=mana", false},
                                     {"xmodule_blacklist=mana", false}}) {
    MemoryFiles files;
    files.add_file("proc/cmdline", text);
    EXPECT_EQ(ModprobeConfig(files).blocking_file("mana")->value_or(""),
              blocks ? "proc/cmdline" : "")
        << text;
  }
}

TEST(ModprobeConfig, IsLimitedInSize) {
  const auto padded = [](std::string text, std::size_t size) {
    text.resize(size, ' ');
    return text;
  };
  MemoryFiles files;
  files.add_file("proc/cmdline", padded("module_blacklist=mana", 1U << 16));
  EXPECT_TRUE(ModprobeConfig(files).blocking_file("mana")->has_value());
  files.add_file("proc/cmdline", padded("module_blacklist=mana", (1U << 16) + 1));
  EXPECT_FALSE(ModprobeConfig(files).blocking_file("mana")) << "an unreadable command line";
  files.add_file("proc/cmdline", "");
  files.add_file("etc/modprobe.d/x.conf", padded("", 1U << 20));
  EXPECT_FALSE(ModprobeConfig(files).blocking_file("mana")->has_value());
  files.add_file("etc/modprobe.d/x.conf", padded("", (1U << 20) + 1));
  EXPECT_EQ(ModprobeConfig(files).blocking_file("mana").error().code, Errc::invalid);
  files.add_link("etc/modprobe.d/x.conf", "removed");
  EXPECT_FALSE(ModprobeConfig(files).blocking_file("mana")->has_value()) << "a dangling link";
}

TEST(ModprobeConfig, LimitsTheNumberOfModules) {
  std::string text;
  for (std::size_t i = 0; i < ModprobeConfig::kMaxModules; ++i) {
    text += fmt::format("blacklist m{}\n", i);
  }
  MemoryFiles files;
  files.add_file("etc/modprobe.d/x.conf", text + "blacklist m0\n");
  EXPECT_FALSE(ModprobeConfig(files).blocking_file("mana")->has_value()) << "m0 is known";
  text += "blacklist m10000\n";
  files.add_file("etc/modprobe.d/x.conf", text);
  const ModprobeConfig config(files);
  EXPECT_TRUE(config.blocking_file("m9999")->has_value());
  EXPECT_EQ(config.blocking_file("mana").error().message,
            "the files of modprobe.d block more than 10000 modules");
}

TEST(ModprobeConfig, PrefersAFileInAnEarlierDirectory) {
  MemoryFiles files;
  files.add_file("usr/lib/modprobe.d/x.conf", "blacklist mana\n");
  EXPECT_TRUE(ModprobeConfig(files).blocking_file("mana")->has_value());
  files.add_file("etc/modprobe.d/x.conf", "");
  EXPECT_FALSE(ModprobeConfig(files).blocking_file("mana")->has_value());
}

TEST(ModprobeConfig, IsInterpretedLikeLibkmod) {
  const test::Scratch tree;
  tree.file(
      "etc/modprobe.d/a.conf",
      "blacklist mana\n#blacklist mana_ib\n  blacklist\tib-uverbs  \nblacklist \\\nhv_netvsc\n"
      "install uio_hv_generic /bin/false\ninstall joydev /bin/true\ninstall loop /sbin/x\n"
      "options veth blacklist=dummy\nalias dummy mana\nblacklist\n");
  tree.file("etc/modprobe.d/ignored.txt", "blacklist bonding\n");
  const auto files = open_files(tree.path());
  ASSERT_TRUE(files);
  const ModprobeConfig config(**files);
  int blocked = 0;
  for (const char* name : {"mana",
                           "mana_ib",
                           "ib_uverbs",
                           "hv_netvsc",
                           "uio_hv_generic",
                           "joydev",
                           "loop",
                           "veth",
                           "dummy",
                           "bonding"}) {
    const auto own = config.blocking_file(name);
    const auto kmod = is_blocked_by_libkmod({tree.path() / "etc/modprobe.d"}, name);
    ASSERT_TRUE(own && kmod) << name;
    EXPECT_EQ(own->has_value(), *kmod) << name;
    blocked += *kmod ? 1 : 0;
  }
  EXPECT_EQ(blocked, 5);
}

}  // namespace
}  // namespace manactl::os::modules_test
