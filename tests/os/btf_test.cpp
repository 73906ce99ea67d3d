// SPDX-License-Identifier: MIT

#include "os/btf.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "os/files.h"
#include "os/owned.h"

namespace manactl::os::btf_test {
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

// BTF in bytes, for kinds and sizes that libbpf does not write.
class BtfBytes {
 public:
  // Appends a type with `tail` bytes after its struct btf_type.
  void add(unsigned kind, unsigned members, std::size_t tail) {
    const btf_type type{0, (kind << 24U) | members, {4}};
    types.append(reinterpret_cast<const char*>(&type), sizeof(type));
    types.append(tail, '\0');
  }

  // Appends an enum with the enumerator that is called "value".
  void add_enum(std::int32_t value) {
    add(BTF_KIND_ENUM, 1, 0);

    const struct btf_enum one{3, value};

    types.append(reinterpret_cast<const char*>(&one), sizeof(one));
  }

  std::string bytes() const {
    btf_header header = change;
    header.type_len += static_cast<std::uint32_t>(types.size());
    header.str_off += static_cast<std::uint32_t>(types.size());
    header.str_len += static_cast<std::uint32_t>(strings.size());
    return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + types + strings;
  }

  Result<std::optional<std::int64_t>> value() const {
    return enumerator_value(bytes(), {}, "value");
  }

  btf_header change{BTF_MAGIC, BTF_VERSION, 0, sizeof(btf_header), 0, 0, 0, 0};
  std::string types;
  std::string strings = std::string("\0a\0value\0value\0", 15);
};

TEST(BtfTypes, HaveTheSizesOfTheKernel) {
  struct Case {
    unsigned kind, members;
    std::size_t tail;
  };

  for (const auto& [kind, members, tail] :
       {Case{BTF_KIND_INT, 0, sizeof(std::uint32_t)},
        Case{BTF_KIND_PTR, 0, 0},
        Case{BTF_KIND_ARRAY, 0, sizeof(struct btf_array)},
        Case{BTF_KIND_STRUCT, 2, 2 * sizeof(struct btf_member)},
        Case{BTF_KIND_UNION, 3, 3 * sizeof(struct btf_member)},
        Case{BTF_KIND_ENUM, 2, 2 * sizeof(struct btf_enum)},
        Case{BTF_KIND_FWD, 0, 0},
        Case{BTF_KIND_TYPEDEF, 0, 0},
        Case{BTF_KIND_VOLATILE, 0, 0},
        Case{BTF_KIND_CONST, 0, 0},
        Case{BTF_KIND_RESTRICT, 0, 0},
        Case{BTF_KIND_FUNC, 1, 0},
        Case{BTF_KIND_FUNC_PROTO, 2, 2 * sizeof(struct btf_param)},
        Case{BTF_KIND_VAR, 0, sizeof(struct btf_var)},
        Case{BTF_KIND_DATASEC, 2, 2 * sizeof(struct btf_var_secinfo)},
        Case{BTF_KIND_FLOAT, 0, 0},
        Case{BTF_KIND_DECL_TAG, 0, sizeof(struct btf_decl_tag)},
        Case{BTF_KIND_TYPE_TAG, 0, 0},
        Case{BTF_KIND_ENUM64, 2, 2 * sizeof(struct btf_enum64)}}) {
    BtfBytes btf;
    btf.add(kind, members, tail);
    btf.add_enum(7);
    EXPECT_EQ(btf.value().value_or(-1), 7) << kind;
    BtfBytes last;
    last.add(kind, members, tail);
    EXPECT_FALSE(last.value().value_or(1)) << "the type may be the last: " << kind;
  }
  BtfBytes unknown;
  unknown.add(BTF_KIND_ENUM64 + 1, 0, 0);
  EXPECT_EQ(unknown.value().error().message, "malformed BTF: unknown kind 20");
}

TEST(BtfTypes, FindEachOccurrenceOfAName) {
  BtfBytes btf;
  btf.add(BTF_KIND_ENUM, 1, 0);

  const struct btf_enum second{9, -5};  // "value" appears twice in the strings: at 3 and 9

  btf.types.append(reinterpret_cast<const char*>(&second), sizeof(second));
  EXPECT_EQ(btf.value().value_or(0), -5);
}

TEST(BtfTypes, FindOnlyEnumeratorsOfTheirEnum) {
  BtfBytes btf;
  btf.add(BTF_KIND_ENUM, 0, 0);
  const btf_type next{3, BTF_KIND_FLOAT << 24U, {4}};  // a type that is called "value"
  btf.types.append(reinterpret_cast<const char*>(&next), sizeof(next));
  ASSERT_TRUE(btf.value());
  EXPECT_FALSE(btf.value()->has_value());
}

TEST(BtfTypes, AreNotReadForANameThatDoesNotOccur) {
  BtfBytes btf;
  btf.types = "truncated";
  EXPECT_FALSE(btf.value());
  EXPECT_TRUE(enumerator_value(btf.bytes(), {}, "absent"));
  btf.strings.insert(0, 1, '\0');
  EXPECT_TRUE(enumerator_value(btf.bytes(), {}, "")) << "unnamed enumerators";
}

TEST(BtfHeaders, AreChecked) {
  BtfBytes good;
  good.types.clear();
  EXPECT_TRUE(good.value());
  const auto message = [](const auto& change) {
    BtfBytes btf;
    change(btf);
    const auto value = btf.value();
    return value ? "" : value.error().message;
  };
  const std::string wrong = "malformed BTF: wrong magic or version";
  EXPECT_EQ(message([](BtfBytes& btf) { btf.change.magic ^= 1U; }), wrong);
  EXPECT_EQ(message([](BtfBytes& btf) { btf.change.version = 2; }), wrong);
  EXPECT_EQ(message([](BtfBytes& btf) { btf.change.hdr_len -= 1; }),
            "malformed BTF: wrong header length");
  EXPECT_EQ(message([](BtfBytes& btf) { btf.change.str_len = 1; }),
            "malformed BTF: the string section exceeds the data");
  EXPECT_EQ(message([](BtfBytes& btf) { btf.change.str_off = 100; }),
            "malformed BTF: the string section exceeds the data");
  EXPECT_EQ(message([](BtfBytes& btf) { btf.change.type_len = 100; }),
            "malformed BTF: the type section exceeds the data");
  EXPECT_EQ(message([](BtfBytes& btf) { btf.change.type_off = 100; }),
            "malformed BTF: the type section exceeds the data");
  EXPECT_EQ(message([](BtfBytes& btf) { btf.add(BTF_KIND_INT, 0, 3); }),
            "malformed BTF: truncated type");
  EXPECT_EQ(message([](BtfBytes& btf) { btf.types.assign(sizeof(btf_type) - 1, '\0'); }),
            "malformed BTF: truncated type");
  BtfBytes empty;
  empty.strings.clear();
  EXPECT_FALSE(empty.value().value().has_value()) << "only a header";
  EXPECT_EQ(enumerator_value("short", {}, "x").error().message,
            "malformed BTF: shorter than its header");
  EXPECT_EQ(enumerator_value(good.bytes(), "short", "x").error().message,
            "vmlinux: malformed BTF: shorter than its header");
}

TEST(BtfHeaders, MayBeLongerThanKnown) {
  BtfBytes btf;
  btf.add_enum(7);
  btf.change.hdr_len += 8;
  auto bytes = btf.bytes();
  bytes.insert(sizeof(btf_header), 8, '\0');
  EXPECT_EQ(enumerator_value(bytes, {}, "value").value_or(-1), 7);
}

TEST(BtfOfOneEnumerator, IsReadByLibbpf) {
  const auto bytes = single_enumerator("MANA", std::int64_t{1} << 40U, 0);
  const Btf types(btf__new(bytes.data(), static_cast<std::uint32_t>(bytes.size())));
  ASSERT_TRUE(types);
  const btf_type* type = btf__type_by_id(types.get(), 1);
  ASSERT_TRUE(type);
  EXPECT_EQ(btf_kind(type), BTF_KIND_ENUM64);
  ASSERT_EQ(btf_vlen(type), 1);
  EXPECT_EQ(type->name_off, 0U);
  EXPECT_EQ(btf_enum64_value(btf_enum64(type)), std::uint64_t{1} << 40U);
  EXPECT_STREQ(btf__name_by_offset(types.get(), btf_enum64(type)->name_off), "MANA");
  const auto* header = reinterpret_cast<const btf_header*>(bytes.data());
  EXPECT_EQ(header->flags, 0);
  EXPECT_EQ(header->str_len, 6U);
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
}  // namespace manactl::os::btf_test
