// SPDX-License-Identifier: MIT
//
// This program exports the functions of the software adapter, so that they are found as if the
// adapter was preloaded.

#include <gtest/gtest.h>

#include "datapath/verbs/library.h"
#include "datapath/verbs_simulated_port.h"

namespace manactl::datapath::verbs::verbs_library_test {
namespace {

TEST(LoadLibrary, BindsEachFunction) {
  const auto loaded = load_library();
  ASSERT_TRUE(loaded) << loaded.error().message;
  const auto expected = adapter_library(Doorbells::stores);
  EXPECT_EQ(loaded->get_device_list, expected.get_device_list);
  EXPECT_EQ(loaded->free_device_list, expected.free_device_list);
  EXPECT_EQ(loaded->open_device, expected.open_device);
  EXPECT_EQ(loaded->close_device, expected.close_device);
  EXPECT_EQ(loaded->alloc_pd, expected.alloc_pd);
  EXPECT_EQ(loaded->dealloc_pd, expected.dealloc_pd);
  EXPECT_EQ(loaded->reg_mr, expected.reg_mr);
  EXPECT_EQ(loaded->dereg_mr, expected.dereg_mr);
  EXPECT_EQ(loaded->create_cq, expected.create_cq);
  EXPECT_EQ(loaded->destroy_cq, expected.destroy_cq);
  EXPECT_EQ(loaded->create_qp, expected.create_qp);
  EXPECT_EQ(loaded->destroy_qp, expected.destroy_qp);
  EXPECT_EQ(loaded->get_async_event, expected.get_async_event);
  EXPECT_EQ(loaded->ack_async_event, expected.ack_async_event);
  EXPECT_EQ(loaded->set_context_attr, expected.set_context_attr);
  EXPECT_EQ(loaded->init_obj, expected.init_obj);
  // Only net_mana calls these.
  EXPECT_NE(loaded->query_device, nullptr);
  EXPECT_NE(loaded->create_comp_channel, nullptr);
  EXPECT_NE(loaded->destroy_comp_channel, nullptr);
  EXPECT_NE(loaded->get_cq_event, nullptr);
  EXPECT_NE(loaded->ack_cq_events, nullptr);
  EXPECT_EQ(loaded->doorbell, nullptr) << "the program does not export this function";
  EXPECT_FALSE(is_simulated());
}

TEST(VersionOf, IsEmptyIfTheFileNameHasNone) {
  EXPECT_EQ(version_of(adapter_library(Doorbells::stores)), "");
  EXPECT_EQ(version_of(Library{}), "");
}

}  // namespace
}  // namespace manactl::datapath::verbs::verbs_library_test
