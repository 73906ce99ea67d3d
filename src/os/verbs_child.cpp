// SPDX-License-Identifier: MIT

#include "os/verbs_child.h"

#include <dlfcn.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <system_error>

#include "base/late_library.h"
#include "base/text.h"

namespace manactl::os {
namespace {

// Only the loader's table, so that nothing of libibverbs is linked.
struct Verbs {
  decltype(ibv_get_device_list)* list = nullptr;
  decltype(ibv_get_device_name)* name = nullptr;
  decltype(ibv_open_device)* open = nullptr;
};

// The file that holds this address, or empty.
std::string file_of(const void* address) {
  Dl_info info{};
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

// libibverbs fills every call that the provider lacks with one of its own, so the first that is
// foreign is the provider's. Only members of the public structures are looked at.
std::string provider_of(ibv_context* context, const std::string& libibverbs) {
  std::vector<const void*> calls;
  const auto take = [&](auto* function) { calls.push_back(reinterpret_cast<void*>(function)); };
  take(context->ops.poll_cq);
  take(context->ops.post_send);
  take(context->ops.post_recv);
  take(context->ops.req_notify_cq);
  take(context->ops.post_srq_recv);
  if (const verbs_context* extended = verbs_get_ctx(context)) {
    take(extended->create_qp_ex);
    take(extended->create_cq_ex);
    take(extended->create_wq);
    take(extended->modify_wq);
    take(extended->destroy_wq);
    take(extended->create_rwq_ind_table);
    take(extended->destroy_rwq_ind_table);
    take(extended->alloc_parent_domain);
    take(extended->query_device_ex);
    take(extended->create_srq_ex);
    take(extended->ibv_create_flow);
  }
  for (const void* call : calls) {
    const auto file = file_of(call);
    if (!file.empty() && file != libibverbs) return file.substr(file.rfind('/') + 1);
  }
  return {};
}

std::string device_line(const Verbs& verbs, ibv_device* device) {
  const std::string name = printable(verbs.name(device), 100);
  errno = 0;
  ibv_context* context = verbs.open(device);
  if (context == nullptr) return fmt::format("{}\terrno\t{}\n", name, errno == 0 ? EIO : errno);
  const auto library = provider_of(context, file_of(reinterpret_cast<void*>(verbs.open)));
  return fmt::format("{}\tlibrary\t{}\n", name, printable(library, 200));  // closed by the exit
}

Result<std::string> library_of(std::string_view kind, std::string_view value) {
  constexpr std::uint64_t kMostErrno = 4095;
  if (kind == "errno") {
    const auto number = parse_unsigned(value, kMostErrno);
    return fail_errno(static_cast<int>(number.value_or(EIO)), "libibverbs cannot open the device");
  }
  if (value.empty()) return fail(Errc::io, "no call of this device belongs to a provider");
  return std::string(value);
}

}  // namespace

std::string answer_of(const std::string& soname) {
  const auto library = LateLibrary::open(soname);
  if (!library) return fmt::format("missing\t{}\nend\n", library.error().message);
  Verbs verbs;
  FunctionBinder bind(*library);
  bind("ibv_get_device_list", verbs.list);
  bind("ibv_get_device_name", verbs.name);
  bind("ibv_open_device", verbs.open);
  if (bind.problem()) return fmt::format("refused\t{}\nend\n", "it lacks functions of libibverbs");
  int count = 0;
  errno = 0;
  ibv_device** devices = verbs.list(&count);
  // ENOSYS: a kernel without RDMA has no devices, and that is an answer.
  if (devices == nullptr && errno != ENOSYS && errno != 0) {
    return fmt::format("refused\t{}\nend\n", std::generic_category().message(errno));
  }
  std::string reply;
  for (int i = 0; devices != nullptr && i < count; ++i) reply += device_line(verbs, devices[i]);
  return reply + "end\n";
}

Result<std::vector<ProviderChoice>> decode_reply(std::string_view reply) {
  if (!reply.ends_with("end\n")) return fail(Errc::io, "libibverbs ended without an answer");
  std::vector<ProviderChoice> choices;
  for (const auto line : split(reply, '\n')) {
    if (line == "end") return choices;
    const auto fields = split(line, '\t');
    if (fields[0] == "missing" && fields.size() == 2) {
      return fail(Errc::not_found, std::string(fields[1]));
    }
    if (fields[0] == "refused" && fields.size() == 2) {
      return fail(Errc::io, fmt::format("libibverbs cannot list devices: {}", fields[1]));
    }
    if (fields.size() != 3) return fail(Errc::io, "libibverbs gave an answer that is not one");
    choices.push_back({std::string(fields[0]), library_of(fields[1], fields[2])});
  }
  return choices;
}

}  // namespace manactl::os
