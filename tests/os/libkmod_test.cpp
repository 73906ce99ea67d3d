// SPDX-License-Identifier: MIT
//
// Modules on a live system: libkmod is replaced by a stub.

#include "os/libkmod.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include "os/kernel_calls.h"
#include "os/memory_files.h"
#include "os/modules.h"

namespace manactl::os::libkmod_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StubKmod : public ::testing::Test {
 protected:
  StubKmod() {
    calls_.dlopen = [](const char* name, int flags) -> std::optional<void*> {
      if (std::string(name) != "libkmod.so.2") return std::nullopt;
      return dlopen(MANACTL_STUB_LIBKMOD, flags);
    };
    files_.add_file("lib/modules/6.8.0/modules.dep",
                    "kernel/mana.ko:\nkernel/uio_hv_generic.ko:\n");
    files_.add_file("lib/modules/6.8.0/modules.builtin", "kernel/hv_netvsc.ko\n");
    mode("");
  }

  ~StubKmod() override {
    unsetenv("STUB_KMOD");
    unsetenv("STUB_KMOD_LOG");
  }

  static void mode(const char* text) {
    setenv("STUB_KMOD", text, 1);
    setenv("STUB_KMOD_LOG", "", 1);
  }

  // The calls of the stub that matter here.
  static std::string log() { return getenv("STUB_KMOD_LOG"); }

  std::string state(const char* name) const {
    const auto found = open_modules(files_, "6.8.0", true)->state(name);
    if (!found) return found.error().message;
    const char* words[] = {"missing", "available", "loaded", "builtin", "blacklisted"};
    std::string presence;
    for (const auto& [value, word] : {std::pair{Presence::missing, words[0]},
                                      {Presence::available, words[1]},
                                      {Presence::loaded, words[2]},
                                      {Presence::builtin, words[3]},
                                      {Presence::blacklisted, words[4]}}) {
      if (found->presence == value) presence = word;
    }
    return presence + " " + found->evidence;
  }

  test::KernelCalls calls_;
  MemoryFiles files_;
};

TEST_F(StubKmod, LoadsAModule) {
  ASSERT_TRUE(load_with_libkmod("mana"));
  EXPECT_EQ(log(), "new() lookup(mana) insert(mana,flags=2,command=-1) free_module free_list end ");
}

TEST_F(StubKmod, ReportsEachErrorOfLoading) {
  struct Case {
    const char* mode;
    Errc code;
    const char* message;
  };

  for (const auto& one :
       {Case{"new", Errc::io, "cannot load module mana: cannot initialize libkmod"},
        Case{"lookup", Errc::denied, "cannot load module mana: Permission denied"},
        Case{"nothing", Errc::not_found, "cannot load module mana: No such file or directory"},
        Case{"insert", Errc::busy, "cannot load module mana: Device or resource busy"},
        Case{"blacklist", Errc::denied, "cannot load module mana: it is blacklisted"}}) {
    mode(one.mode);
    const auto loaded = load_with_libkmod("mana");
    ASSERT_FALSE(loaded) << one.mode;
    EXPECT_EQ(loaded.error().code, one.code) << one.mode;
    EXPECT_EQ(loaded.error().message, one.message);
  }
}

TEST_F(StubKmod, ReadsBlacklistsAndInstallCommands) {
  const auto blocked = [](const char* name) { return is_blocked_by_libkmod({}, name).value(); };
  EXPECT_TRUE(blocked("mana-ib")) << "blacklist mana_ib";
  EXPECT_EQ(log(), "new() free_iter end ");
  EXPECT_TRUE(blocked("uio_hv_generic")) << "install uio-hv-generic /bin/false";
  EXPECT_FALSE(blocked("no_command"));
  EXPECT_FALSE(blocked("empty_command"));
  EXPECT_FALSE(blocked("loop")) << "install loop /sbin/x false";
  EXPECT_FALSE(blocked("absent"));
  mode("iterators");
  EXPECT_FALSE(blocked("mana_ib"));
  mode("new");
  EXPECT_EQ(is_blocked_by_libkmod({}, "mana").error().message, "cannot initialize libkmod");
}

TEST_F(StubKmod, ReadsTheGivenDirectories) {
  ASSERT_TRUE(is_blocked_by_libkmod({"/a", "/b"}, "absent"));
  EXPECT_EQ(log(), "new(/a,/b) free_iter free_iter end ");
}

TEST_F(StubKmod, IsReportedIfItIsMissingOrLacksAFunction) {
  void* other = dlopen(MANACTL_STUB_LIBIBVERBS, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(other);
  calls_.dlopen = [=](const char*, int) -> std::optional<void*> { return other; };
  EXPECT_THAT(load_with_libkmod("mana").error().message, HasSubstr("does not export 'kmod_new'"));
  EXPECT_THAT(is_blocked_by_libkmod({}, "mana").error().message, HasSubstr("'kmod_new'"));
  calls_.dlopen = [](const char*, int) -> std::optional<void*> { return nullptr; };
  EXPECT_THAT(load_with_libkmod("mana").error().message, HasSubstr("cannot load 'libkmod.so.2'"));
  EXPECT_EQ(is_blocked_by_libkmod({}, "mana").error().code, Errc::not_found);
}

TEST_F(StubKmod, IsSilent) {
  unsetenv("KMOD_LOG");
  ASSERT_TRUE(load_with_libkmod("mana"));
  EXPECT_STREQ(getenv("KMOD_LOG"), "0");
  setenv("KMOD_LOG", "7", 1);
  ASSERT_TRUE(load_with_libkmod("mana"));
  EXPECT_STREQ(getenv("KMOD_LOG"), "7") << "the user's choice";
  unsetenv("KMOD_LOG");
}

TEST_F(StubKmod, DecidesWhetherAModuleOfALiveSystemIsBlacklisted) {
  EXPECT_EQ(state("mana"), "available lib/modules/6.8.0/modules.dep");
  EXPECT_EQ(state("uio_hv_generic"), "blacklisted etc/modprobe.d");
  files_.add_file("etc/modprobe.d/a.conf", "blacklist uio_hv_generic\nblacklist mana\n");
  EXPECT_EQ(state("uio_hv_generic"), "blacklisted etc/modprobe.d/a.conf");
  EXPECT_EQ(state("mana"), "available lib/modules/6.8.0/modules.dep") << "libkmod decides";
  calls_.dlopen = [](const char*, int) -> std::optional<void*> { return nullptr; };
  EXPECT_EQ(state("mana"), "blacklisted etc/modprobe.d/a.conf") << "without libkmod";
}

TEST_F(StubKmod, DoesNotDecideAboutTheKernelCommandLine) {
  files_.add_file("proc/cmdline", "module_blacklist=mana");
  EXPECT_EQ(state("mana"), "blacklisted proc/cmdline");
}

TEST_F(StubKmod, DecidesEvenIfTheConfigurationCannotBeRead) {
  files_.add_node("etc/modprobe.d/a.conf", Node{.type = Node::Type::file});  // not readable
  EXPECT_EQ(state("mana"), "available lib/modules/6.8.0/modules.dep");
  EXPECT_EQ(state("uio_hv_generic"), "blacklisted etc/modprobe.d");
  calls_.dlopen = [](const char*, int) -> std::optional<void*> { return nullptr; };
  EXPECT_EQ(state("mana"), "cannot read '/etc/modprobe.d/a.conf': Permission denied");
}

TEST_F(StubKmod, LoadsOnlyModulesThatAreAvailable) {
  const auto modules = open_modules(files_, "6.8.0", true);
  ASSERT_TRUE(modules->load("mana"));
  EXPECT_THAT(log(), HasSubstr("insert(mana,"));
  mode("");
  ASSERT_TRUE(modules->load("hv-netvsc")) << "it is built in";
  files_.add_file("sys/module/loaded/initstate", "live");
  ASSERT_TRUE(modules->load("loaded"));
  EXPECT_THAT(log(), IsEmpty());
  const auto refused = modules->load("uio_hv_generic");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied);
  EXPECT_EQ(refused.error().message, "module uio_hv_generic is blacklisted by /etc/modprobe.d");
  EXPECT_EQ(modules->load("../x").error().code, Errc::invalid);
  ASSERT_TRUE(modules->load("not-listed")) << "libkmod looks for it";
  EXPECT_THAT(log(), HasSubstr("insert(not_listed,"));
}

TEST_F(StubKmod, IsNotAskedAboutACapturedSystem) {
  const auto modules = open_modules(files_, "6.8.0", false);
  EXPECT_EQ(modules->load("mana").error().code, Errc::unsupported);
  EXPECT_EQ(modules->state("uio_hv_generic")->presence, Presence::available);
  EXPECT_THAT(log(), IsEmpty());
}

}  // namespace
}  // namespace manactl::os::libkmod_test
