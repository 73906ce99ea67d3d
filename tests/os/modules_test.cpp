// SPDX-License-Identifier: MIT

#include "os/modules.h"

#include <gtest/gtest.h>

#include "os/libkmod.h"
#include "os/memory_files.h"
#include "os/modprobe_config.h"
#include "os/scratch.h"

namespace manactl::os {
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

TEST(ModprobeConfig, PrefersAFileInAnEarlierDirectory) {
  MemoryFiles files;
  files.add_file("usr/lib/modprobe.d/x.conf", "blacklist mana\n");
  EXPECT_TRUE(blocking_file(files, "mana")->has_value());
  files.add_file("etc/modprobe.d/x.conf", "");
  EXPECT_FALSE(blocking_file(files, "mana")->has_value());
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
    const auto own = blocking_file(**files, name);
    const auto kmod = is_blocked_by_libkmod({tree.path() / "etc/modprobe.d"}, name);
    ASSERT_TRUE(own && kmod) << name;
    EXPECT_EQ(own->has_value(), *kmod) << name;
    blocked += *kmod ? 1 : 0;
  }
  EXPECT_EQ(blocked, 5);
}

}  // namespace
}  // namespace manactl::os
