// SPDX-License-Identifier: MIT

#include "host/initramfs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/driver_modules.h"
#include "os/memory_files.h"

namespace manactl::host::initramfs_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string_view> kNames(kInitramfsModules.begin(), kInitramfsModules.end());

// A file in the format "newc" of cpio.
std::string entry(const std::string& name, const std::string& text = {}) {
  std::string file = "070701";
  for (int field = 0; field < 13; ++field) {
    file += fmt::format("{:08x}", field == 6 ? text.size() : field == 11 ? name.size() + 1 : 0);
  }
  file += name + '\0';
  while (file.size() % 4 != 0) file += '\0';
  file += text;
  while (file.size() % 4 != 0) file += '\0';
  return file;
}

std::string archive(const std::string& files) {
  return files + entry("TRAILER!!!") + std::string(512, '\0');
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (; hex.size() >= 2; hex.remove_prefix(2)) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(0, 2)), nullptr, 16));
  }
  return bytes;
}

// An archive with kernel/mana.ko.zst and kernel/hv_netvsc.ko, compressed with gzip.
constexpr std::string_view kGzip =
    "1f8b080000000000000333303730373034a029303486b1b2538bf25273f47313f312f5b2f3f5aa8a"
    "4b1880c0801e6e3041734346597c5e6a49597132d02174728341128c1112e4e8e9e31aa4a8a808f2"
    "3f0094394fb984010000";

// An archive with kernel/mana.ko.zst and kernel/hv_netvsc.ko, compressed with xz.
constexpr std::string_view kXz =
    "fd377a585a0000016922de360200210116000000742fe5a3e0018300455d00180ddd04639da58cd0"
    "64d1454e5322ecad8aa1760c9e7866a15b83ac80c43f1adb472c067995180fb7feaf5370b083e95e"
    "d231ad0b4d8a206b1d951ac3fb959790d5c2aa600000000094394fb900015d840300000048769625"
    "3e300d8b020000000001595a";

// An archive with kernel/mana.ko.zst and kernel/hv_netvsc.ko, compressed with zstd.
constexpr std::string_view kZstd =
    "28b52ffd0468650200a2830d11907d10e3c29ebe792cd3e0282bc54cba0d00001042606929c41a7c"
    "4c45d47ccbebf83460eb2e3015ef3e3baabc59d22fe4c99f3f1f0720c0b307042669ba3b71484310"
    "32a793df024a373bbe";

// An archive with kernel/mana.ko.zst and kernel/hv_netvsc.ko, compressed with lz4.
constexpr std::string_view kLz4 =
    "02214c18530000007f3037303730313001004a2431330a00ff076b65726e656c2f6d616e612e6b6f"
    "2e7a7374000000008400521b348400cf68765f6e65747673632e6b6f8400542430620900e0545241"
    "494c455221212100000000";

// An archive with mana.ko, compressed with zstd, without its last byte, a newline.
constexpr std::string_view kWithoutNewline =
    "28b52ffd0468cd010064023037303730313038306d616e612e6b6f0000003433373962545241494c"
    "45522121210000000006004088728734f05eb18784808b77024698b500";

TEST(Initramfs, ListsItsModules) {
  const auto image = archive(entry("usr/lib/modules/6.8.0/kernel/pci-hyperv.ko.zst", "12345") +
                             entry("etc/mana.conf") + entry("lib/hv_netvsc.ko"));
  EXPECT_THAT(*modules_in_initramfs(image, kNames), ElementsAre("hv_netvsc", "pci_hyperv"));
  EXPECT_THAT(*modules_in_initramfs("", kNames), IsEmpty());
}

// os::Files::read() has removed the newline.
TEST(Initramfs, MayEndWithANewline) {
  const auto found = modules_in_initramfs(from_hex(kWithoutNewline), kNames);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre("mana"));
}

TEST(Initramfs, IsReadAfterTheMicrocodeWithEveryCompression) {
  const auto microcode = archive(entry("kernel/x86/microcode/AuthenticAMD.bin", "0123456"));
  for (const auto compressed : {kGzip, kXz, kZstd, kLz4}) {
    const auto image = microcode + from_hex(compressed);
    const auto found = modules_in_initramfs(image, kNames);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_THAT(*found, ElementsAre("mana", "hv_netvsc"));
  }
}

TEST(Initramfs, IsReportedIfItCannotBeRead) {
  const auto message = [](const std::string& image) {
    return modules_in_initramfs(image, kNames).error().message;
  };
  EXPECT_THAT(message("not an archive"), HasSubstr("unknown format"));
  EXPECT_THAT(message(entry("mana.ko").substr(0, 100)), HasSubstr("damaged"));
  EXPECT_THAT(message("070701" + std::string(104, 'x')), HasSubstr("damaged"));
  EXPECT_THAT(message(archive(entry("a", "text")).substr(0, 113)), HasSubstr("truncated"));
  EXPECT_THAT(message(from_hex(kZstd).substr(0, 40)), HasSubstr("decompress"));
  EXPECT_THAT(message(archive(entry("squashfs-root.img"))), HasSubstr("squashfs or erofs image"));
  EXPECT_TRUE(
      modules_in_initramfs(archive(entry("squashfs-root.img") + entry("a/mana.ko")), {"mana"}));
}

// A short file can contain gigabytes of zeros.
TEST(Initramfs, IsReadPastPaddingOfManyBlocks) {
  const auto image = std::string(1'000'003, '\0') + archive(entry("mana.ko")) + "\n";
  EXPECT_THAT(*modules_in_initramfs(image, kNames), ElementsAre("mana"));
}

TEST(Initramfs, KeepsOnlyItsModulesInBundles) {
  const auto image = archive(entry("etc/secret", "password") + entry("x/mana.ko", "code"));
  const auto kept = reduced_initramfs(image);
  EXPECT_THAT(kept, Not(HasSubstr("secret")));
  EXPECT_THAT(kept, Not(HasSubstr("code")));
  EXPECT_THAT(*modules_in_initramfs(kept, kNames), ElementsAre("mana"));
  EXPECT_FALSE(modules_in_initramfs(reduced_initramfs("not an archive"), kNames));
}

TEST(Initramfs, IsFoundUnderTheNamesOfDistributions) {
  os::MemoryFiles files;
  files.add_file("boot/initramfs-5.14.0.img", archive(entry("mana.ko")));
  files.add_file("boot/initrd-5.3.18-azure", archive(""));
  EXPECT_THAT(*modules_in_initramfs_of(files, "5.14.0", kNames), ElementsAre("mana"));
  EXPECT_THAT(*modules_in_initramfs_of(files, "5.3.18-azure", kNames), IsEmpty());
  EXPECT_EQ(modules_in_initramfs_of(files, "6.8.0", kNames).error().code, Errc::not_found);
}

TEST(NetworkOption, IsThePartThatNeedsTheNetwork) {
  EXPECT_EQ(network_option("ip=10.0.0.4::10.0.0.1:255.255.255.0"), "ip=");
  EXPECT_EQ(network_option("root=/dev/nfs"), "root=/dev/nfs");
  EXPECT_EQ(network_option("root=nfs4:server.example:/export"), "root=nfs4:");
  EXPECT_EQ(network_option("netroot=iscsi:@10.0.0.9::3260::iqn"), "netroot=");
  EXPECT_EQ(network_option("rd.neednet=1"), "rd.neednet=1");
  EXPECT_EQ(network_option("rd.neednet"), "rd.neednet");
  for (const auto* word : {"ip=off", "ip=none", "root=UUID=1", "rd.neednet=0", "ipv6.disable=1"}) {
    EXPECT_EQ(network_option(word), "") << word;
  }
  for (const auto* kept : {"ip=", "root=nfs4:", "rd.neednet=1"}) {
    EXPECT_EQ(network_option(kept), kept) << "in a bundle";
  }
}

}  // namespace
}  // namespace manactl::host::initramfs_test
