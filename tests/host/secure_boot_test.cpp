// SPDX-License-Identifier: MIT

#include "host/secure_boot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/memory_files.h"

namespace manactl::host::secure_boot_test {
namespace {

constexpr const char* kVariable =
    "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

TEST(SecureBoot, IsTheLastByteOfItsVariable) {
  os::MemoryFiles files;
  EXPECT_EQ(*secure_boot(files), false) << "a VM of generation 1";
  files.add_file(kVariable, std::string("\6\0\0\0\1", 5));
  EXPECT_EQ(*secure_boot(files), true);
  files.add_file(kVariable, std::string("\6\0\0\0\0", 5));
  EXPECT_EQ(*secure_boot(files), false);
}

TEST(ModuleSignature, IsAtTheEndOfTheFile) {
  os::MemoryFiles files;
  const std::string module(100'000, '\1');
  files.add_file("signed.ko", module + "~Module signature appended~\n");
  files.add_file("unsigned.ko", module);
  files.add_file("damaged.ko.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\3\xcb\x4d", 12));
  EXPECT_EQ(*has_signature(files, "signed.ko"), true);
  EXPECT_EQ(*has_signature(files, "unsigned.ko"), false);
  EXPECT_FALSE(has_signature(files, "damaged.ko.gz"));
  EXPECT_FALSE(has_signature(files, "missing.ko"));
}

TEST(ModuleSignature, IsAllThatBundlesKeepOfAModule) {
  os::MemoryFiles files;
  files.add_file("m.ko", reduced_module("code~Module signature appended~"));
  EXPECT_EQ(*has_signature(files, "m.ko"), true);
  EXPECT_EQ(reduced_module("code"), "");
}

TEST(Modules, AreOutsideTheTreeInTheirDirectories) {
  EXPECT_TRUE(is_outside_tree("updates/dkms/mana.ko.zst"));
  EXPECT_TRUE(is_outside_tree("extra/mana/mana.ko"));
  EXPECT_FALSE(is_outside_tree("kernel/drivers/net/ethernet/microsoft/mana/mana.ko.zst"));
  EXPECT_FALSE(is_outside_tree("")) << "built in";
}

}  // namespace
}  // namespace manactl::host::secure_boot_test
