// SPDX-License-Identifier: MIT
//
// Tests that doctor without arguments reads the kernel log of the running machine. The machine is a
// captured one with another kernel log. doctor confines its process, so it runs in a child.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>

#include "cli/command.h"
#include "host/captured.h"
#include "support/fixtures.h"

namespace manactl::cli::doctor_kernel_log_test {
namespace {

using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::Not;

class Text : public ByteSource {
 public:
  explicit Text(std::string text) : text_(std::move(text)) {}

  Result<std::size_t> read(std::span<char> into) override {
    const auto size = std::min(into.size(), text_.size());
    std::copy_n(text_.begin(), size, into.begin());
    text_.erase(0, size);
    return size;
  }

 private:
  std::string text_;
};

class FakeKernelLog : public os::KernelLog {
 public:
  explicit FakeKernelLog(Result<std::string> text) : text_(std::move(text)) {}

  Result<std::unique_ptr<ByteSource>> open() const override {
    if (!text_) return tl::unexpected<Error>(text_.error());
    return std::make_unique<Text>(*text_);
  }

 private:
  Result<std::string> text_;
};

// Runs doctor as on the machine of a fixture, prints its output to stderr and exits with its code.
[[noreturn]] void doctor_on(const char* machine, Result<std::string> kernel_log) {
  const auto captured = host::open_captured(test::fixture(machine));
  FakeKernelLog log(std::move(kernel_log));
  std::ostringstream out, err;
  Screen screen(out, false, 80, false), errors(err, false, 80, false);
  Context context{screen, errors, false, 0, {}, {}, {}};
  context.system = [&captured, &log]() -> Result<os::System> {
    if (!captured) return tl::unexpected<Error>(captured.error());
    const auto system = (*captured)->system();
    return os::System{system.files,
                      system.links,
                      system.ethtool,
                      system.rdma,
                      system.verbs,
                      system.devices,
                      system.modules,
                      system.process,
                      system.sockets,
                      log};
  };
  CLI::App app;
  const auto exit = add_doctor(app)(context);
  std::cerr << out.str() << err.str() << std::flush;
  _exit(static_cast<int>(exit));
}

constexpr const char* kFault =
    "[    4.303000] mana 7870:00:00.0 mana_0: Failed to create cq err -71\n";

TEST(DoctorOfThisMachine, ReadsTheKernelLog) {
  EXPECT_EXIT(doctor_on("healthy-two-nics", std::string(kFault)),
              ExitedWithCode(1),
              HasSubstr("Root cause: The device refused an RDMA object"));
  EXPECT_EXIT(doctor_on("healthy-two-nics", std::string()),
              ExitedWithCode(0),
              Not(HasSubstr("was not read")));
}

TEST(DoctorOfThisMachine, NotesThatItMayNotReadTheKernelLog) {
  EXPECT_EXIT(doctor_on("healthy-two-nics", fail(Errc::denied, "cannot open /dev/kmsg")),
              ExitedWithCode(0),
              HasSubstr("the kernel log was not read: cannot open /dev/kmsg; run as root, or use"));
}

TEST(DoctorOfThisMachine, ReadsNoKernelLogWithoutMana) {
  EXPECT_EXIT(doctor_on("not-azure", std::string(kFault)),
              ExitedWithCode(3),
              Not(HasSubstr("Failed to create cq")));
}

}  // namespace
}  // namespace manactl::cli::doctor_kernel_log_test
