// SPDX-License-Identifier: MIT

#include "os/verbs_probe.h"

#include <dlfcn.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <functional>
#include <system_error>

#include "base/child.h"
#include "base/shared_library.h"
#include "base/text.h"

namespace manactl::os {
namespace {

// Functions of libibverbs, which is loaded at run time.
struct Verbs {
  decltype(ibv_get_device_list)* list = nullptr;
  decltype(ibv_get_device_name)* name = nullptr;
  decltype(ibv_open_device)* open = nullptr;
};

// Returns the path of the library that contains this address, or an empty string.
std::string file_of(const void* address) {
  Dl_info info{};
  (void)dladdr(address, &info);
  return info.dli_fname == nullptr ? "" : info.dli_fname;
}

// The file name of the provider. libibverbs fills in its own functions for those that the provider
// lacks, so the first function from another library belongs to the provider.
std::string provider_of(ibv_context* context, const std::string& libibverbs) {
  std::vector<const void*> calls;
  const auto add = [&](auto* function) { calls.push_back(reinterpret_cast<void*>(function)); };
  add(context->ops.poll_cq);
  add(context->ops.post_send);
  add(context->ops.post_recv);
  add(context->ops.req_notify_cq);
  add(context->ops.post_srq_recv);
  if (const verbs_context* extended = verbs_get_ctx(context)) {
    add(extended->create_qp_ex);
    add(extended->create_cq_ex);
    add(extended->create_wq);
    add(extended->modify_wq);
    add(extended->destroy_wq);
    add(extended->create_rwq_ind_table);
    add(extended->destroy_rwq_ind_table);
    add(extended->alloc_parent_domain);
    add(extended->query_device_ex);
    add(extended->create_srq_ex);
    add(extended->ibv_create_flow);
  }
  for (const void* call : calls) {
    const auto file = file_of(call);
    if (!file.empty() && file != libibverbs) return file.substr(file.rfind('/') + 1);
  }
  return {};
}

std::string device_line(const Verbs& verbs, ibv_device* device) {
  const std::string name = printable(verbs.name(device));
  errno = 0;
  ibv_context* context = verbs.open(device);
  if (context == nullptr) return fmt::format("{}\terrno\t{}\n", name, errno == 0 ? EIO : errno);
  const auto library = provider_of(context, file_of(reinterpret_cast<void*>(verbs.open)));
  return fmt::format("{}\tlibrary\t{}\n", name, printable(library));
}

Result<std::string> library_of(std::string_view kind, std::string_view value) {
  constexpr std::uint64_t kMaxErrno = 4095;
  if (kind == "errno") {
    const auto number = parse_unsigned(value, kMaxErrno);
    return fail_errno(static_cast<int>(number.value_or(EIO)), "libibverbs cannot open the device");
  }
  if (value.empty()) return fail(Errc::io, "libibverbs has no provider function for this device");
  return std::string(value);
}

// Returns the report of a missing library or function.
std::string missing(const Error& error) {
  return fmt::format("missing\t{}\nend\n", error.message);
}

// Runs in the child. The constructor of libmana registers the provider with libibverbs.
std::string report_libraries(const VerbsLibraries& names) {
  const auto verbs = SharedLibrary::open(names.verbs);
  if (!verbs) return missing(verbs.error());
  const auto mana = SharedLibrary::open(names.mana);
  if (!mana) return missing(mana.error());
  void (*function)() = nullptr;
  FunctionBinder bind(*mana);
  bind("manadv_set_context_attr", function);
  bind("manadv_init_obj", function);
  return bind.problem() ? missing(*bind.problem()) : "end\n";
}

// Runs in the child: loads the library and opens all devices, which stay open until the child
// exits. Returns the report for decode_provider_report().
std::string report_providers(const std::string& soname) {
  const auto library = SharedLibrary::open(soname);
  if (!library) return missing(library.error());
  Verbs verbs;
  FunctionBinder bind(*library);
  bind("ibv_get_device_list", verbs.list);
  bind("ibv_get_device_name", verbs.name);
  bind("ibv_open_device", verbs.open);
  if (bind.problem())
    return fmt::format("refused\t{}\nend\n", "the library lacks functions of libibverbs");
  int count = 0;
  errno = 0;
  ibv_device** devices = verbs.list(&count);
  // ENOSYS: a kernel without RDMA has no devices, which is not an error.
  if (devices == nullptr && errno != ENOSYS && errno != 0) {
    return fmt::format("refused\t{}\nend\n", std::generic_category().message(errno));
  }
  std::string report;
  for (int i = 0; devices != nullptr && i < count; ++i) report += device_line(verbs, devices[i]);
  return report + "end\n";
}

class ForkedProbe final : public VerbsProbe {
 public:
  ForkedProbe(VerbsLibraries names, std::chrono::milliseconds timeout)
      : names_(std::move(names)), timeout_(timeout) {}

  Result<std::vector<ProviderChoice>> providers() const override {
    return query([this] { return report_providers(names_.verbs); });
  }

  Result<> load_libraries() const override {
    const auto report = query([this] { return report_libraries(names_); });
    return report ? Result<>() : tl::unexpected<Error>(report.error());
  }

 private:
  // Calls `report` in a child process, and decodes what it returns.
  Result<std::vector<ProviderChoice>> query(const std::function<std::string()>& report) const;

  VerbsLibraries names_;
  std::chrono::milliseconds timeout_;
};

Result<std::vector<ProviderChoice>> ForkedProbe::query(
    const std::function<std::string()>& report) const {
  const auto result =
      run_in_child([&report](int pipe) { write_to_pipe(pipe, report()); }, timeout_);
  if (!result) return because(result.error(), "cannot query libibverbs");
  if (result->end == ChildResult::End::timed_out) {
    return fail(Errc::timeout,
                fmt::format("libibverbs did not respond within {} ms", timeout_.count()));
  }
  if (result->end == ChildResult::End::crashed) {
    return fail(Errc::io,
                fmt::format("libibverbs or one of its providers crashed with {}", result->signal));
  }
  return decode_provider_report(result->text);
}

}  // namespace

std::unique_ptr<VerbsProbe> open_verbs_probe(VerbsLibraries names,
                                             std::chrono::milliseconds timeout) {
  return std::make_unique<ForkedProbe>(std::move(names), timeout);
}

Result<std::vector<ProviderChoice>> decode_provider_report(std::string_view report) {
  if (!report.ends_with("end\n"))
    return fail(Errc::io, "libibverbs exited before its report was complete");
  std::vector<ProviderChoice> choices;
  for (const auto line : split(report, '\n')) {
    if (line == "end") return choices;
    const auto fields = split(line, '\t');
    if (fields[0] == "missing" && fields.size() == 2) {
      return fail(Errc::not_found, std::string(fields[1]));
    }
    if (fields[0] == "refused" && fields.size() == 2) {
      return fail(Errc::io, fmt::format("libibverbs cannot list devices: {}", fields[1]));
    }
    if (fields.size() != 3) return fail(Errc::io, "the report about libibverbs is malformed");
    choices.push_back({std::string(fields[0]), library_of(fields[1], fields[2])});
  }
  return choices;
}

}  // namespace manactl::os
