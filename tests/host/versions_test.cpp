// SPDX-License-Identifier: MIT

#include "host/versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/memory_files.h"
#include "support/fixtures.h"

namespace manactl::host::versions_test {
namespace {

using ::testing::ElementsAre;

const std::string kLibraries = "usr/lib/x86_64-linux-gnu";

TEST(LibraryDirectories, AreThoseThatExistWithUsrLocalLast) {
  os::MemoryFiles files;
  files.add_directory("usr/local/lib");
  files.add_directory("usr/lib64");
  EXPECT_THAT(library_directories(files, "x86_64"), ElementsAre("usr/lib64", "usr/local/lib"));
}

TEST(LibraryDirectories, HaveUsrLocalFirstOnDebian) {
  os::MemoryFiles files;
  files.add_directory("usr/local/lib");
  files.add_directory("usr/lib/aarch64-linux-gnu");
  files.add_file("etc/ld.so.conf.d/libc.conf", "/usr/local/lib\n");
  EXPECT_THAT(library_directories(files, "aarch64"),
              ElementsAre("usr/local/lib", "usr/lib/aarch64-linux-gnu", "usr/lib"));
}

TEST(RdmaCore, ReleaseIsReadFromTheFileNameOfTheLibrary) {
  os::MemoryFiles files;
  files.add_link(kLibraries + "/libibverbs.so.1", "libibverbs.so.1.14.44.0");
  const auto release = rdma_core_release(files, {kLibraries});
  ASSERT_TRUE(release) << release.error().message;
  EXPECT_EQ(release.value(), (Release{44, 0, 0}));
}

TEST(RdmaCore, IsEmptyIfItIsNotInstalled) {
  os::MemoryFiles files;
  files.add_directory(kLibraries);
  const auto release = rdma_core_release(files, {kLibraries});
  ASSERT_TRUE(release);
  EXPECT_EQ(release.value(), std::nullopt);
}

TEST(RdmaCore, IsUnknownIfTheFileNameHasNoRelease) {
  os::MemoryFiles files;
  files.add_link(kLibraries + "/libibverbs.so.1", "libibverbs.so.1.custom");
  EXPECT_EQ(rdma_core_release(files, {kLibraries}).error().code, Errc::invalid);
  os::MemoryFiles plain;
  plain.add_file(kLibraries + "/libibverbs.so.1", "");
  EXPECT_FALSE(rdma_core_release(plain, {kLibraries}));
}

TEST(InstalledDpdk, IsARangeOfReleasesIfOnlyTheAbiIsKnown) {
  const auto dpdk = facts_of("mana-and-manae").dpdk.value();
  ASSERT_EQ(dpdk.size(), 1U);
  EXPECT_EQ(dpdk[0].version, "25.11 to 26.07");
  EXPECT_EQ(dpdk[0].library, kLibraries + "/librte_eal.so.26");
  EXPECT_EQ(dpdk[0].plugin_directory, kLibraries + "/dpdk/pmds-26.0");
  EXPECT_TRUE(dpdk[0].net_mana);
  EXPECT_TRUE(dpdk[0].net_netvsc);
}

TEST(InstalledDpdk, HasAnAbiFrom20To30) {
  os::MemoryFiles files;
  for (int abi = 19; abi <= 31; ++abi) {
    files.add_file(fmt::format("{}/librte_eal.so.{}", kLibraries, abi), "");
  }
  const auto dpdk = installed_dpdk(files, {kLibraries}).value();
  ASSERT_EQ(dpdk.size(), 11U);
  EXPECT_EQ(dpdk.front().version, "19.11 to 20.07");
  EXPECT_EQ(dpdk.back().version, "29.11 to 30.07");
}

TEST(InstalledDpdk, StartsANewAbiInNovember) {
  const auto version_with = [](const std::string& packaged) {
    os::MemoryFiles files;
    files.add_file(kLibraries + "/librte_eal.so.24", "");
    files.add_file(kLibraries + "/pkgconfig/libdpdk.pc", "Name: dpdk\nVersion: " + packaged + "\n");
    return installed_dpdk(files, {kLibraries}).value().at(0).version;
  };
  for (const std::string same : {"23.11.0", "23.12.1", "24.03.0", "24.10.2"}) {
    EXPECT_EQ(version_with(same), same);
  }
  for (const std::string other : {"22.11.0", "23.10.0", "24.11.0", "24.12.0", "25.03.0", "x"}) {
    EXPECT_EQ(version_with(other), "23.11 to 24.07") << other;
  }
}

TEST(InstalledDpdk, IsExactIfTheDevelopmentPackageHasItsAbi) {
  const auto dpdk = facts_of("debian12-dpdk").dpdk.value();
  ASSERT_EQ(dpdk.size(), 1U);
  EXPECT_EQ(dpdk[0].version, "22.11.11");
  EXPECT_FALSE(dpdk[0].net_mana);
  EXPECT_TRUE(dpdk[0].net_netvsc);
}

TEST(InstalledDpdk, IsExactIfDpkgHasItsPackage) {
  const auto dpdk = facts_of("ubuntu-two-nics").dpdk.value();
  ASSERT_EQ(dpdk.size(), 1U);
  EXPECT_EQ(dpdk[0].version, "23.11.7");
}

struct Package {
  const char* name;
  std::string status, version, expected;
};

class DpkgStatus : public testing::TestWithParam<Package> {};

TEST_P(DpkgStatus, IsUsedForThisAbiOnly) {
  os::MemoryFiles files;
  files.add_file(kLibraries + "/librte_eal.so.23", "");
  files.add_file("var/lib/dpkg/status",
                 "Package: zlib1g\nStatus: install ok installed\nVersion: 9\n\n"
                 "Package: librte-eal23\nStatus: " +
                     GetParam().status + "\nVersion: " + GetParam().version +
                     "\n\nPackage: z\nVersion: 22.11.9\n");
  EXPECT_EQ(installed_dpdk(files, {kLibraries}).value().at(0).version, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    DpkgStatus,
    testing::Values(Package{"Plain", "install ok installed", "22.11.11-1~deb12u1", "22.11.11"},
                    Package{"Epoch", "hold ok installed", "1:23.03-2", "23.03"},
                    Package{"Removed", "deinstall ok config-files", "22.11.11-1", "22.11 to 23.07"},
                    Package{"OtherAbi", "install ok installed", "24.11.1-1", "22.11 to 23.07"},
                    Package{"NoRelease", "install ok installed", "git", "22.11 to 23.07"},
                    Package{"Empty", "install ok installed", "", "22.11 to 23.07"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(DpdkPackages, ExcludeOtherPackages) {
  const std::string dpdk = "Package: librte-eal23\nVersion: 22.11.11-1\n";
  const std::string other = "Package: openssh-server\nDepends: librte-eal23\nVersion: 9\n";
  EXPECT_EQ(dpdk_packages(other + "\n" + dpdk + "\n" + other), dpdk + "\n");
  EXPECT_EQ(dpdk_packages(other + "\n" + dpdk), dpdk);
  EXPECT_EQ(dpdk_packages(other), "");
  EXPECT_EQ(dpdk_packages("\n"), "");
}

TEST(InstalledDpdk, BelowUsrLocalDoesNotComeFromDpkg) {
  os::MemoryFiles files;
  files.add_file("usr/local/lib/librte_eal.so.23", "");
  files.add_file("var/lib/dpkg/status",
                 "Package: librte-eal23\nStatus: install ok installed\nVersion: 22.11.11-1\n");
  EXPECT_EQ(installed_dpdk(files, {"usr/local/lib"}).value().at(0).version, "22.11 to 23.07");
}

TEST(InstalledDpdk, IgnoresADevelopmentPackageOfAnotherAbi) {
  os::MemoryFiles files;
  files.add_file(kLibraries + "/librte_eal.so.23", "");
  files.add_file(kLibraries + "/pkgconfig/libdpdk.pc", "Version: 24.11.3\n");
  const auto dpdk = installed_dpdk(files, {kLibraries}).value();
  ASSERT_EQ(dpdk.size(), 1U);
  EXPECT_EQ(dpdk[0].version, "22.11 to 23.07");
  EXPECT_EQ(dpdk[0].plugin_directory, "");
}

TEST(InstalledDpdk, ListsEveryVersion) {
  os::MemoryFiles files;
  files.add_file(kLibraries + "/librte_eal.so.23", "");
  files.add_file("usr/local/lib/librte_eal.so.26", "");
  const auto dpdk = installed_dpdk(files, {"usr/local/lib", kLibraries}).value();
  ASSERT_EQ(dpdk.size(), 2U);
  EXPECT_EQ(dpdk[0].version, "25.11 to 26.07");
  EXPECT_EQ(dpdk[1].version, "22.11 to 23.07");
}

}  // namespace
}  // namespace manactl::host::versions_test
