// SPDX-License-Identifier: MIT

#include "os/btf.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "os/files.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

using Btf = Owned<btf, btf__free>;

std::string_view raw(const Btf& types) {
  std::uint32_t size = 0;
  const void* data = btf__raw_data(types.get(), &size);
  return {static_cast<const char*>(data), size};
}

// Returns BTF with many kinds of types before the enum, to detect a wrong size of any kind.
Btf sample() {
  Btf types(btf__new_empty());
  btf* t = types.get();
  const int number = btf__add_int(t, "int", 4, BTF_INT_SIGNED);
  btf__add_ptr(t, number);
  btf__add_array(t, number, number, 4);
  btf__add_struct(t, "pair", 8);
  btf__add_field(t, "a", number, 0, 0);
  btf__add_field(t, "b", number, 32, 0);
  btf__add_fwd(t, "later", BTF_FWD_STRUCT);
  btf__add_typedef(t, "word", number);
  const int prototype = btf__add_func_proto(t, number);
  btf__add_func_param(t, "x", number);
  btf__add_func(t, "f", BTF_FUNC_GLOBAL, prototype);
  const int variable = btf__add_var(t, "v", BTF_VAR_STATIC, number);
  btf__add_datasec(t, ".data", 4);
  btf__add_datasec_var_info(t, variable, 0, 4);
  btf__add_float(t, "float", 4);
  btf__add_decl_tag(t, "tag", variable, -1);
  btf__add_enum64(t, "wide", 8, false);
  btf__add_enum64_value(t, "WIDE_MANY", 1ULL << 40U);
  btf__add_enum(t, "rdma_driver_id", 4);
  btf__add_enum_value(t, "RDMA_DRIVER_ERDMA", 19);
  btf__add_enum_value(t, "RDMA_DRIVER_MANA", 20);
  btf__add_enum_value(t, "RDMA_DRIVER_NEGATIVE", -1);
  return types;
}

TEST(Btf, FindsTheValueOfAnEnumerator) {
  const auto types = sample();
  const auto value = [&](const char* name) {
    return enumerator_value(raw(types), {}, name).value();
  };
  EXPECT_EQ(value("RDMA_DRIVER_MANA"), 20);
  EXPECT_EQ(value("RDMA_DRIVER_ERDMA"), 19);
  EXPECT_EQ(value("RDMA_DRIVER_NEGATIVE"), -1);
  EXPECT_EQ(value("WIDE_MANY"), std::int64_t{1} << 40U);
}

TEST(Btf, IsEmptyForOtherNames) {
  const auto types = sample();
  for (const char* name : {"RDMA_DRIVER", "DRIVER_MANA", "", "int", "rdma_driver_id", "absent"}) {
    const auto value = enumerator_value(raw(types), {}, name);
    ASSERT_TRUE(value) << name;
    EXPECT_FALSE(value->has_value()) << name;
  }
}

TEST(Btf, IsReducedToOneEnumerator) {
  const auto read_back = [](std::optional<std::int64_t> value) {
    const auto btf = single_enumerator("RDMA_DRIVER_MANA", value, 0);
    return enumerator_value(btf, {}, "RDMA_DRIVER_MANA").value();
  };
  EXPECT_EQ(read_back(19), 19);
  EXPECT_EQ(read_back(-1), -1);
  EXPECT_FALSE(read_back(std::nullopt).has_value());
  const auto base = single_enumerator("RDMA_DRIVER_MANA", std::nullopt, 0);
  const auto module = single_enumerator("RDMA_DRIVER_MANA", 20, 1);
  EXPECT_EQ(enumerator_value(module, base, "RDMA_DRIVER_MANA").value(), 20);
}

TEST(Btf, FindsAnEnumOfAModule) {
  const Btf base = sample();
  const Btf split(btf__new_empty_split(base.get()));
  ASSERT_TRUE(split);
  btf__add_enum(split.get(), "module_enum", 4);
  btf__add_enum_value(split.get(), "MODULE_VALUE", 7);
  btf__add_enum_value(split.get(), "int", 8);  // this name is in the base BTF
  EXPECT_EQ(enumerator_value(raw(split), raw(base), "MODULE_VALUE").value(), 7);
  EXPECT_EQ(enumerator_value(raw(split), raw(base), "int").value(), 8);
  EXPECT_FALSE(enumerator_value(raw(split), raw(base), "RDMA_DRIVER_MANA")->has_value());
}

TEST(Btf, RejectsEveryTruncation) {
  const auto types = sample();
  const auto whole = raw(types);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<char> copy(whole.begin(),
                                 whole.begin() + static_cast<std::ptrdiff_t>(length));
    const auto value = enumerator_value({copy.data(), copy.size()}, {}, "RDMA_DRIVER_MANA");
    EXPECT_FALSE(value) << length;
  }
}

TEST(Btf, RejectsOrToleratesEveryChangedByte) {
  const auto types = sample();
  std::string bytes(raw(types));
  int refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char old = bytes[i];
    for (const char other : {'\0', '\xff', static_cast<char>(old ^ 1)}) {
      bytes[i] = other;
      const auto value = enumerator_value(bytes, {}, "RDMA_DRIVER_MANA");
      if (value) continue;
      EXPECT_EQ(value.error().code, Errc::invalid);
      ++refused;
    }
    bytes[i] = old;
  }
  EXPECT_GT(refused, 0);
}

TEST(Btf, AgreesWithLibbpfOnTheRunningKernel) {
  const auto files = open_files("/");
  ASSERT_TRUE(files);
  if (!exists(**files, "sys/kernel/btf/vmlinux")) {
    GTEST_SKIP() << "this kernel was built without BTF (CONFIG_DEBUG_INFO_BTF)";
  }
  const Btf kernel(btf__load_vmlinux_btf());
  ASSERT_TRUE(kernel);
  const auto bytes = (*files)->read("sys/kernel/btf/vmlinux");
  ASSERT_TRUE(bytes);
  const int id = btf__find_by_name_kind(kernel.get(), "pid_type", BTF_KIND_ENUM);
  ASSERT_GT(id, 0);
  const btf_type* type = btf__type_by_id(kernel.get(), static_cast<std::uint32_t>(id));
  const auto* member = btf_enum(type);
  ASSERT_GT(btf_vlen(type), 2);
  for (int i = 0; i < btf_vlen(type); ++i) {
    const char* name = btf__name_by_offset(kernel.get(), member[i].name_off);
    EXPECT_EQ(enumerator_value(*bytes, {}, name).value(), member[i].val) << name;
  }
}

}  // namespace
}  // namespace manactl::os
