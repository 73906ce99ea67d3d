// SPDX-License-Identifier: MIT

#include "host/boot_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/memory_files.h"

namespace manactl::host::boot_loader_test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kReleases = {"6.14.0-1012-azure", "6.8.0-1046-azure", "6.8.0-1046"};

// The release of the next kernel, or the reason why it is unknown.
std::string next_of(const os::MemoryFiles& files) {
  const auto next = next_kernel(files, kReleases);
  return next ? next->release : next.error().message;
}

TEST(NextKernel, IsTheNewestWithoutASetting) {
  os::MemoryFiles files;
  EXPECT_EQ(next_of(files), "6.14.0-1012-azure") << "14 is more than 8";
  files.add_file("boot/vmlinuz-6.8.0-1046-azure", "");
  EXPECT_EQ(next_of(files), "6.8.0-1046-azure") << "others have no image";
  EXPECT_EQ(next_kernel(files, {}).error().code, Errc::not_found);
}

TEST(NextKernel, IsThatOfGrubsSettings) {
  os::MemoryFiles files;
  files.add_file("etc/default/grub", "GRUB_DEFAULT=0\n");
  EXPECT_EQ(next_of(files), "6.14.0-1012-azure");
  files.add_file("etc/default/grub.d/50.cfg",
                 "GRUB_DEFAULT=\"Advanced options>Ubuntu, with Linux 6.8.0-1046-azure\"\n");
  EXPECT_EQ(next_of(files), "6.8.0-1046-azure");
  files.add_file("etc/default/grub.d/50.cfg", "GRUB_DEFAULT=\"1>2\"\n");
  EXPECT_THAT(next_of(files),
              HasSubstr("/etc/default/grub.d/50.cfg has GRUB_DEFAULT=1>2, which names no"));
}

TEST(NextKernel, IsThatOfTheEnvironmentBlock) {
  os::MemoryFiles files;
  files.add_file("etc/default/grub", "GRUB_DEFAULT=saved\n");
  EXPECT_EQ(next_of(files), "6.14.0-1012-azure");
  files.add_file("boot/grub/grubenv", "saved_entry=gnulinux-6.8.0-1046-azure-advanced-1\n####");
  EXPECT_EQ(next_of(files), "6.8.0-1046-azure");
  files.add_file("boot/grub/grubenv", "saved_entry=x-6.8.0-1046-azure\nnext_entry=a-6.8.0-1046\n");
  EXPECT_EQ(next_of(files), "6.8.0-1046") << "for one boot only";
}

TEST(NextKernel, IsThatOfABootLoaderEntry) {
  os::MemoryFiles files;
  files.add_file("boot/loader/entries/id-a.conf", "title X\nlinux /vmlinuz-6.8.0-1046\n");
  EXPECT_EQ(next_of(files), "6.14.0-1012-azure");
  files.add_file("boot/grub2/grubenv", "saved_entry=id-a\n");
  EXPECT_EQ(next_of(files), "6.8.0-1046");
}

TEST(BootSettings, AreKeptWithoutOtherLines) {
  EXPECT_EQ(kept_boot_settings("GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX=\"secret\"\nlinux /a\n"),
            "GRUB_DEFAULT=0\nlinux /a\n");
}

}  // namespace
}  // namespace manactl::host::boot_loader_test
