// SPDX-License-Identifier: MIT

#include "host/bundle.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/bundle_files.h"
#include "host/captured.h"
#include "host/facts_text.h"
#include "host/gather.h"
#include "host/recording.h"
#include "host/tarball.h"
#include "host/versions.h"
#include "os/memory_files.h"
#include "os/owned.h"
#include "support/fixtures.h"

namespace manactl::host::bundle_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Gathers the facts of `real` through a recorder, writes the bundle and returns the facts.
Facts gather_into(const os::System& real, const BundleOptions& options, const std::string& path) {
  const auto recording = start_recording(real);
  Facts facts = gather(recording->system(), SshSearch::quick, MoveForecast::include);
  const auto written = write_bundle(*recording, options, path);
  EXPECT_TRUE(written) << written.error().message;
  return facts;
}

Facts gather_from(const std::string& path) {
  const auto captured = open_captured(path);
  if (!captured) throw std::runtime_error(captured.error().message);
  return gather((*captured)->system(), SshSearch::quick, MoveForecast::include);
}

TEST(Bundle, IsReadBackWhateverItsNameSaysAboutCompression) {
  const Directory directory;
  const auto system = test::system_of("healthy-two-nics");
  std::map<std::string, std::string> first_bytes;
  for (const auto& row : kBundleSuffixes) {
    const auto path = directory.at("vm" + std::string(row.word));
    const Facts live = gather_into(system->system(), {}, path);
    EXPECT_EQ(text_of(gather_from(path)), text_of(live)) << path;
    std::ifstream file(path);
    std::string begin(6, '\0');
    file.read(begin.data(), 6);
    first_bytes[std::string(row.word)] = begin;
  }
  EXPECT_THAT(first_bytes[".tgz"], ::testing::StartsWith("\x1f\x8b"));
  EXPECT_EQ(first_bytes[".tar.xz"],
            std::string("\xfd"
                        "7zXZ\0",
                        6));
  EXPECT_THAT(first_bytes[".tar.zst"], ::testing::StartsWith("\x28\xb5\x2f\xfd"));
  EXPECT_EQ(first_bytes[".tar"], "dev/in") << "the first path";
}

class BundleOf : public ::testing::TestWithParam<std::string> {};

TEST_P(BundleOf, GathersTheSameFactsAsTheLiveSystem) {
  const Directory directory;
  const std::string path = directory.at("bundle.tar.gz");
  const auto system = test::system_of(GetParam());
  const Facts live = gather_into(system->system(), {}, path);
  EXPECT_EQ(text_of(gather_from(path)), text_of(live));
}

TEST_P(BundleOf, PairsTheSameNicsWhenScrubbed) {
  const Directory directory;
  const std::string path = directory.at("bundle.tar.gz");
  const auto system = test::system_of(GetParam());
  const Facts live = gather_into(system->system(), {true, {}}, path);
  const Facts scrubbed = gather_from(path);
  EXPECT_THAT(text_of(scrubbed), Not(HasSubstr("00:0d:3a")));
  EXPECT_THAT(text_of(scrubbed), Not(HasSubstr("10.0.0.4")));
  ASSERT_EQ(scrubbed.move.has_value(), live.move.has_value());
  if (live.move) {
    EXPECT_EQ(text_of(*scrubbed.move), text_of(*live.move));
  }
  ASSERT_EQ(scrubbed.nics->size(), live.nics->size());
  for (std::size_t i = 0; i < live.nics->size(); ++i) {
    EXPECT_EQ((*scrubbed.nics)[i].paired_by, (*live.nics)[i].paired_by);
    EXPECT_EQ((*scrubbed.nics)[i].vmbus_driver, (*live.nics)[i].vmbus_driver);
    EXPECT_EQ((*scrubbed.nics)[i].carries.size(), (*live.nics)[i].carries.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Trees,
                         BundleOf,
                         ::testing::ValuesIn(test::fixture_names()),
                         [](const auto& tree) {
                           std::string name;
                           for (const char c : tree.param) {
                             if (c != '-') name += c;
                           }
                           return name;
                         });

TEST(Bundle, KeepsReadErrorsOfExistingFiles) {
  const Directory directory;
  const auto system = test::edited_system(
      "healthy-two-nics",
      {{"manactl/file_errors.json",
        "",
        R"({"proc/mounts": {"error": {"code": "denied", "message": "cannot read it"}}})"}});
  gather_into(system->system(), {}, directory.at("b"));
  EXPECT_EQ(gather_from(directory.at("b")).memory.mounts.error().code, Errc::denied);
}

TEST(Bundle, KeepsTheReasonWhyLibrariesCannotBeLoaded) {
  const Directory directory;
  const auto system = test::edited_system(
      "healthy-two-nics",
      {{"manactl/libraries.json", "", R"({"error": {"code": "not_found", "message": "why"}})"}});
  gather_into(system->system(), {}, directory.at("b"));
  EXPECT_EQ(gather_from(directory.at("b")).rdma.libraries.error().message, "why");
  gather_into(test::system_of("healthy-two-nics")->system(), {}, directory.at("c"));
  EXPECT_TRUE(gather_from(directory.at("c")).rdma.libraries);
}

TEST(Bundle, OmitsPackagesOtherThanDpdk) {
  const std::string dpdk = "Package: librte-eal24\nVersion: 23.11.4\n\n";
  const std::string path(kDpkgStatus);
  const auto system =
      test::edited_system("healthy-two-nics", {{path, "", "Package: vim\n\n" + dpdk}});
  const auto recording = start_recording(system->system());
  ASSERT_TRUE(recording->system().files.read(path));
  EXPECT_EQ(recording->tree().at(path).text, dpdk);
}

TEST(Bundle, HasTheSameBytesForTheSameSystem) {
  const Directory directory;
  const auto system = test::system_of("healthy-two-nics");
  gather_into(system->system(), {}, directory.at("1"));
  gather_into(system->system(), {}, directory.at("2"));
  EXPECT_EQ(bytes_of(directory.at("1")), bytes_of(directory.at("2")));
}

TEST(Bundle, HasMode0600AndLeavesNoTemporaryFile) {
  const Directory directory;
  const auto system = test::system_of("not-azure");
  gather_into(system->system(), {}, directory.at("b"));

  struct stat status{};

  ASSERT_EQ(stat(directory.at("b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_EQ(directory.count(), 1U);
}

TEST(Bundle, ReplacesOnlyRegularFiles) {
  const Directory directory;
  const auto system = test::system_of("not-azure");
  const auto recording = start_recording(system->system());
  std::ofstream(directory.at("file")) << "old";
  EXPECT_TRUE(write_bundle(*recording, {}, directory.at("file")));
  EXPECT_NE(bytes_of(directory.at("file")), "old");

  std::ofstream(directory.at("precious")) << "precious";
  std::filesystem::create_symlink(directory.at("precious"), directory.at("link"));
  std::filesystem::create_directory(directory.at("directory"));
  ASSERT_EQ(mkfifo(directory.at("pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "directory", "pipe"}) {
    const auto before = std::filesystem::symlink_status(directory.at(name)).type();
    const auto written = write_bundle(*recording, {}, directory.at(name));
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().code, Errc::invalid);
    EXPECT_EQ(std::filesystem::symlink_status(directory.at(name)).type(), before);
  }
  EXPECT_EQ(bytes_of(directory.at("precious")), "precious");
  EXPECT_EQ(directory.count(), 5U);
}

TEST(Bundle, LeavesNoFileWhenWritingFails) {
  const Directory directory;
  const auto system = test::system_of("not-azure");
  const auto recording = start_recording(system->system());
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const auto written = write_bundle(*recording, {}, directory.at("b"));
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, before);
  EXPECT_FALSE(written);
  EXPECT_EQ(directory.count(), 0U);
}

TEST(Bundle, IsNotRedirectedByALinkThatOthersCanReplace) {
  const Directory directory;
  const auto system = test::system_of("not-azure");
  const auto recording = start_recording(system->system());
  std::filesystem::create_directory(directory.at("target"));
  std::filesystem::create_directory(directory.at("shared"));
  std::filesystem::create_symlink(directory.at("target"), directory.at("shared/link"));
  EXPECT_TRUE(write_bundle(*recording, {}, directory.at("shared/link/mine")));
  ASSERT_EQ(chmod(directory.at("shared").c_str(), 0777), 0);
  const auto written = write_bundle(*recording, {}, directory.at("shared/link/theirs"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::denied);
  EXPECT_FALSE(std::filesystem::exists(directory.at("target/theirs")));
}

TEST(Bundle, IsNotWrittenIntoAMissingDirectory) {
  const auto system = test::system_of("not-azure");
  const auto recording = start_recording(system->system());
  const auto written = write_bundle(*recording, {}, "/nonexistent/bundle.tar.gz");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("/nonexistent/bundle.tar.gz"));
}

TEST(Bundle, ContainsExtraFilesAndTheKernelLog) {
  const Directory directory;
  const auto system = test::edited_system(
      "healthy-two-nics", {{"manactl/kernel.log", "", "mana 00:0d:3a:76:3b:d0: up\n"}});
  const auto recording = start_recording(system->system());
  const auto log = recording->system().kernel_log.open();
  ASSERT_TRUE(log);
  std::string buffer(64, '\0');
  while (const auto count = (*log)->read(buffer).value()) EXPECT_GT(count, 0U);
  const BundleOptions options{false, {{"logs/1.log", "EAL: hello\n"}}};
  ASSERT_TRUE(write_bundle(*recording, options, directory.at("b")));
  const auto captured = open_captured(directory.at("b"));
  ASSERT_TRUE(captured) << captured.error().message;
  const auto& files = (*captured)->system().files;
  EXPECT_EQ(files.read("logs/1.log").value(), "EAL: hello");
  EXPECT_THAT(files.read("manactl/kernel.log").value(), HasSubstr("mana 00:0d:3a"));
}

// Writes an archive that write_bundle() would not produce.
std::string tarball(const Directory& directory, const TreeEntries& tree) {
  const std::string path = directory.at("made.tar.gz");
  const os::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const auto written = write_tarball(tree, TarCompression::gzip, file.get());
  EXPECT_TRUE(written) << written.error().message;
  return path;
}

TEST(UntrustedBundle, IsRejectedIfAPathLeadsOutOfIt) {
  const Directory directory;
  for (const char* name : {"../evil", "/etc/passwd", "sys/../../evil"}) {
    const auto opened = open_captured(tarball(directory, {{name, {}}}));
    ASSERT_FALSE(opened) << name;
    EXPECT_EQ(opened.error().code, Errc::invalid) << opened.error().message;
  }
}

// Expects that a bundle is rejected as larger than kMaxBundle.
void expect_too_large(const TreeEntries& tree) {
  const Directory directory;
  const auto opened = open_captured(tarball(directory, tree));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::invalid);
  EXPECT_THAT(opened.error().message,
              HasSubstr("the bundle needs more memory than the limit of 96 MiB"));
}

TEST(UntrustedBundle, IsRejectedIfItsContentsAreTooLarge) {
  const std::string part(24U << 20, 'x');
  TreeEntries tree;
  for (int i = 0; i < 4; ++i) {
    tree["sys/" + std::to_string(i)] = {TreeEntry::Kind::file, part};
  }
  expect_too_large(tree);
}

TEST(UntrustedBundle, IsRejectedIfItsPathsImplyTooManyDirectories) {
  std::string deep;
  for (int i = 0; i < 1900; ++i) deep += "a/";
  TreeEntries tree;
  for (int i = 0; i < 60; ++i) tree["sys/" + std::to_string(i) + "/" + deep + "b"] = {};
  expect_too_large(tree);
}

TEST(UntrustedBundle, IsRejectedIfItsNamesAreTooLong) {
  TreeEntries tree;
  for (int i = 0; i < 30000; ++i) tree["sys/" + std::to_string(i) + std::string(4000, 'a')] = {};
  expect_too_large(tree);
}

TEST(UntrustedBundle, IsRejectedIfANameOrTargetIsTooLong) {
  const Directory directory;
  const auto name = open_captured(tarball(directory, {{std::string(4096, 'a'), {}}}));
  ASSERT_FALSE(name);
  EXPECT_THAT(name.error().message, HasSubstr("with too long a name"));
  const auto target = open_captured(
      tarball(directory, {{"sys/a", {TreeEntry::Kind::link, std::string(4096, 'a')}}}));
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("'sys/a' whose target is too long"));
}

TEST(WriteBundle, RefusesABundleThatCannotBeReadAgain) {
  const Directory directory;
  const auto system = test::system_of("healthy-two-nics");
  const auto recording = start_recording(system->system());
  BundleOptions options;
  options.extra["logs/1.log"] = std::string(kMaxBundle, 'x');
  const auto written = write_bundle(*recording, options, directory.at("b"));
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("the limit of 96 MiB"));
  EXPECT_EQ(directory.count(), 0U);
}

TEST(UntrustedBundle, IsRejectedAbove100000Entries) {
  const Directory directory;
  TreeEntries tree;
  for (int i = 0; i < 100'000; ++i) tree["sys/" + std::to_string(i)] = {};
  EXPECT_TRUE(open_captured(tarball(directory, tree)));
  tree["sys/one-more"] = {};
  const auto opened = open_captured(tarball(directory, tree));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("entries"));
}

TEST(UntrustedBundle, FollowsLinksOnlyInsideTheTree) {
  const Directory directory;
  const auto opened =
      open_captured(tarball(directory,
                            {{"sys/link", {TreeEntry::Kind::link, "/etc/hostname"}},
                             {"sys/up", {TreeEntry::Kind::link, "../../../../etc/hostname"}}}));
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_FALSE((*opened)->system().files.read("sys/link"));
  EXPECT_FALSE((*opened)->system().files.read("sys/up"));
}

TEST(UntrustedBundle, IsRejectedIfItIsNotAnArchive) {
  const Directory directory;
  std::ofstream(directory.at("text")) << "this is not an archive, only a text of some length\n";
  std::ofstream(directory.at("empty"));
  for (const char* name : {"text", "empty"}) {
    const auto opened = open_captured(directory.at(name));
    ASSERT_FALSE(opened) << name;
    EXPECT_EQ(opened.error().code, Errc::invalid) << opened.error().message;
  }
}

TEST(UntrustedBundle, IsRejectedIfItIsTruncated) {
  const Directory directory;
  const auto system = test::system_of("healthy-two-nics");
  gather_into(system->system(), {}, directory.at("b"));
  std::filesystem::resize_file(directory.at("b"),
                               std::filesystem::file_size(directory.at("b")) / 2);
  EXPECT_EQ(open_captured(directory.at("b")).error().code, Errc::invalid);
}

}  // namespace
}  // namespace manactl::host::bundle_test
