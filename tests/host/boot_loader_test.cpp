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

// The menu that grub-mkconfig writes on Debian and Ubuntu, shortened.
constexpr const char* kMenu = R"(
password_pbkdf2 root grub.pbkdf2.sha512.10000.SECRET
function load_video {
  insmod all_video
}
menuentry 'Ubuntu' --class os $menuentry_id_option 'gnulinux-simple-1' {
	load_video
	linux	/boot/vmlinuz-6.14.0-1012-azure root=UUID=1 secret
}
submenu 'Advanced options' $menuentry_id_option 'gnulinux-advanced-1' {
	menuentry 'Newest' --class os $menuentry_id_option 'new' {
		linux	/boot/vmlinuz-6.14.0-1012-azure root=UUID=1
	}
	menuentry 'Rescue' --class os $menuentry_id_option 'rescue' {
		linux	/boot/vmlinuz-0-rescue root=UUID=1
	}
	menuentry 'Older' --class os $menuentry_id_option 'old' {
		linux	/boot/vmlinuz-6.8.0-1046-azure root=UUID=1
	}
}
menuentry 'UEFI Firmware Settings' $menuentry_id_option 'uefi-firmware' {
	fwsetup
}
)";

std::string next_of_default(const std::string& value, const std::string& menu = kMenu) {
  os::MemoryFiles files;
  files.add_file("etc/default/grub", fmt::format("GRUB_DEFAULT=\"{}\"\n", value));
  files.add_file("boot/grub/grub.cfg", menu);
  return next_of(files);
}

TEST(NextKernel, IsThatOfAnEntryInGrubsMenu) {
  for (const auto* value : {"1>2", "Advanced options>Older", "gnulinux-advanced-1>old", "1>old"}) {
    EXPECT_EQ(next_of_default(value), "6.8.0-1046-azure") << value;
    EXPECT_EQ(next_of_default(value, kept_menu(kMenu)), "6.8.0-1046-azure") << "bundle: " << value;
  }
  EXPECT_EQ(next_of_default("Ubuntu"), "6.14.0-1012-azure");
  EXPECT_EQ(next_of_default("1>0"), "6.14.0-1012-azure");
}

TEST(NextKernel, IsUnknownIfGrubsMenuDoesNotShowIt) {
  for (const auto* value : {"1", "1>1", "1>3", "2", "3", "0>0", "1>2>0", "1>", ">", "gone>old"}) {
    EXPECT_THAT(next_of_default(value), HasSubstr("which names no installed kernel")) << value;
  }
  for (const auto* menu : {"", "}\n}\nlinux x\n", "submenu 'a {\nmenuentry b {\n", "menuentry {"}) {
    EXPECT_THAT(next_of_default("0>0", menu), HasSubstr("names no installed kernel")) << menu;
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "submenu 'a' {\n";
  EXPECT_THAT(next_of_default("0>0", deep), HasSubstr("names no installed kernel"));
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

TEST(Menu, IsKeptWithoutPasswordsAndArguments) {
  EXPECT_THAT(kept_menu(kMenu), Not(testing::ContainsRegex("secret|SECRET|root|pbkdf2")));
}

}  // namespace
}  // namespace manactl::host::boot_loader_test
