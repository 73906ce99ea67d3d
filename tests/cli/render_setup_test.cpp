// SPDX-License-Identifier: MIT

#include "cli/render_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace manactl::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string show(setup::Restored restored) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  restored.interface = "eth1";
  text(screen, RestoreAnswer{{std::move(restored)}, {}, Exit::ok}, 0);
  return out.str();
}

TEST(RestoreText, SaysThatAllIsAsItWas) {
  EXPECT_EQ(show({}), "eth1 is restored\n");
}

TEST(RestoreText, DoesNotPromiseWhatADamagedJournalDoesNotTell) {
  setup::Restored restored;
  restored.unknown = {"what stood in the journal of 'eth1'"};
  EXPECT_FALSE(restored.is_complete());
  const auto shown = show(restored);
  EXPECT_THAT(shown, StartsWith("eth1 is restored as far as that can be known\n"));
  EXPECT_THAT(shown, HasSubstr("What cannot be known any more:\n"));
}

TEST(RestoreText, SaysThatSomethingFailed) {
  setup::Restored restored;
  restored.undone.push_back({"take down eth1", fail(Errc::io, "no"), {}});
  restored.unknown = {"something"};
  EXPECT_THAT(show(restored), StartsWith("eth1 is NOT restored completely\n  FAILED  take down"));
}

}  // namespace
}  // namespace manactl::cli
