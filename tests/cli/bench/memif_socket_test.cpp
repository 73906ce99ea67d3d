// SPDX-License-Identifier: MIT

#include "cli/bench/memif_socket.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

namespace manactl::cli::memif_socket_test {
namespace {

using ::testing::HasSubstr;

class MemifSocket : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(directory_.data()), nullptr); }

  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string device(const std::string& arguments) const {
    return fmt::format("net_memif0,role=server,{}", arguments);
  }

  std::string directory_ = "/tmp/manactl-memif-XXXXXX";
};

std::string refusal(const std::string& device) {
  const auto allowed = refuse_open_memif(device);
  return allowed ? "" : allowed.error().message;
}

TEST_F(MemifSocket, MustBeAFileInAPrivateDirectory) {
  const auto arguments = fmt::format("socket-abstract=no,socket={}/a", directory_);
  EXPECT_EQ(refusal(device(arguments)), "");
  for (const mode_t mode : {0710, 0701, 0755, 0704}) {
    ASSERT_EQ(chmod(directory_.c_str(), mode), 0);
    EXPECT_THAT(refusal(device(arguments)), HasSubstr("other users can enter")) << std::oct << mode;
    EXPECT_EQ(refuse_open_memif(device(arguments)).error().code, Errc::denied);
  }
}

TEST_F(MemifSocket, IsRefusedIfItIsAbstract) {
  for (const auto* arguments : {"",
                                "socket=SOCKET",
                                "socket-abstract=yes,socket=SOCKET",
                                "socket-abstract=no,socket=SOCKET,socket-abstract=yes",
                                "socket-abstract,socket=SOCKET",
                                "socket-abstract=no",
                                "socket-abstract=no,socket=/tmp/a,socket=SOCKET"}) {
    auto text = device(arguments);
    const auto at = text.find("SOCKET");
    if (at != std::string::npos) text.replace(at, 6, directory_ + "/a");
    EXPECT_THAT(refusal(text), HasSubstr("every user could connect")) << text;
  }
  EXPECT_THAT(refusal("net_memif0"), HasSubstr("every user could connect"));
}

TEST_F(MemifSocket, IsRefusedInADirectoryOfOthers) {
  EXPECT_NE(refusal(device("socket-abstract=no,socket=/tmp/a")), "");
  EXPECT_NE(refusal(device("socket-abstract=no,socket=/nonexistent/a")), "");
  EXPECT_NE(refusal(device(fmt::format("socket-abstract=no,socket={}/", directory_))), "");
}

TEST_F(MemifSocket, DoesNotConcernOtherDevices) {
  for (const auto* name :
       {"net_null0", "net_af_packet0,iface=eth0", "7870:00:00.0,mac=00:0d:3a:76:3b:d1"}) {
    EXPECT_EQ(refusal(name), "");
  }
}

}  // namespace
}  // namespace manactl::cli::memif_socket_test
