// SPDX-License-Identifier: MIT
#include "datapath/verbs/probe.h"

#include <algorithm>
#include <span>

#include "base/child.h"
#include "base/text.h"
#include "datapath/verbs/device_files.h"
#include "datapath/verbs/receive_queue.h"
#include "datapath/verbs/send_queue.h"

namespace manactl::datapath {

namespace verbs {

namespace {

// Writes a line to the parent before each call that may crash or hang.
class StageReporter final : public CallObserver {
 public:
  explicit StageReporter(int pipe) : pipe_(pipe) {}

  void enter(Stage stage, std::string_view call = {}) {
    stage_ = stage;
    write(fmt::format("at\t{}\t{}\n", id_of(stage), call));
  }

  void before_call(std::string_view call, const PortInfo* port) override {
    if (port != nullptr) {
      write(fmt::format("port\t{}\t{}\t{}\n", port->device, port->slot, port->port));
    }
    enter(stage_of(call), call);
  }

  void write(std::string_view line) const { write_to_pipe(pipe_, line); }

 private:
  // The stage that makes this call; the current stage if several stages make the call.
  Stage stage_of(std::string_view call) const {
    if (call == "get_device_list") return Stage::find;
    if (call == "open_device") return Stage::open;
    if (call == "query_device_ex") return Stage::query;
    if (call == "alloc_pd") return Stage::pd;
    if (call == "alloc_parent_domain") return Stage::parent_domain;
    return stage_;
  }

  int pipe_;
  Stage stage_ = Stage::libraries;
};

// Finds the port of the software adapter whose interface has this name. The kernel does not know
// the adapter's interfaces; the adapter shows them in its own sysfs files.
Result<Nic> find_simulated(const Library& library, const std::string& name) {
  int count = 0;
  library.before_call("get_device_list");
  const std::unique_ptr<ibv_device*, decltype(library.free_device_list)> list(
      library.get_device_list(&count), library.free_device_list);
  std::vector<std::string> known;
  if (!list) count = 0;
  for (auto* device : std::span(list.get(), static_cast<std::size_t>(std::max(count, 0)))) {
    const std::string path(device->ibdev_path);
    const auto slot = slot_of(path);
    for (const auto& interface : interfaces_of(path)) {
      if (slot && interface.name == name) return Nic{name, *slot, interface.mac, std::nullopt};
      known.push_back(interface.name);
    }
  }
  std::ranges::sort(known);
  return fail(Errc::not_found,
              fmt::format("the software adapter has no interface '{}'; it has: {}",
                          printable(name),
                          known.empty() ? std::string("none") : join(known, ", ")));
}

Result<std::unique_ptr<Context>> open_port(const Library& library, const ProbePlan& plan) {
  const auto nic = plan.nic ? Result<Nic>(*plan.nic) : find_simulated(library, plan.interface);
  if (!nic) return tl::unexpected<Error>(nic.error());
  return Context::open(library, nic->pci, nic->mac);
}

Result<> make_queues(const ProbePlan& plan,
                     std::unique_ptr<Context> context,
                     StageReporter& reporter) {
  constexpr std::uint32_t kEntries = 64;
  constexpr std::uint32_t kReceivers = 2;  // at least two, to use RSS
  const auto& limits = context->limits();
  const auto entries = limits.entries == 0 ? kEntries : std::min(kEntries, limits.entries);
  std::optional<SendQueue> sender;
  std::optional<ReceiveQueues> receivers;
  reporter.enter(Stage::cq);
  if (auto cq = context->make_cq(entries); !cq) return tl::unexpected<Error>(cq.error());
  if (plan.no_qp_reason.empty()) {
    // The first QP claims the port; its creation fails if the port is in use. Receiving without
    // this claim would steal packets from the program that uses the port.
    reporter.enter(Stage::qp);
    auto send_queue = SendQueue::make(*context, entries);
    if (!send_queue) return tl::unexpected<Error>(send_queue.error());
    sender.emplace(std::move(*send_queue));
    reporter.enter(Stage::rss_qp);
    auto receive_queues =
        ReceiveQueues::make(*context, limits.queues == 1 ? 1 : kReceivers, entries);
    if (!receive_queues) return tl::unexpected<Error>(receive_queues.error());
    receivers.emplace(std::move(*receive_queues));
  }
  reporter.enter(Stage::release);
  receivers.reset();
  sender.reset();
  context.reset();
  return {};
}

Result<> run_stages(const ProbePlan& plan, const ProbeCalls& calls, StageReporter& reporter) {
  reporter.enter(Stage::libraries);
  auto library = calls.load();
  if (!library) return tl::unexpected<Error>(library.error());
  reporter.write(fmt::format("version\t{}\n", version_of(*library)));
  library->observer = &reporter;
  reporter.enter(Stage::find);
  auto context = calls.open(*library, plan);
  if (!context) return tl::unexpected<Error>(context.error());
  return make_queues(plan, std::move(*context), reporter);
}

void run_probe(const ProbePlan& plan, const ProbeCalls& calls, int pipe) {
  StageReporter reporter(pipe);
  const auto result = run_stages(plan, calls, reporter);
  if (result) return reporter.write("done\n");
  const auto& error = result.error();
  reporter.write(fmt::format("fail\t{}\t{}\t{}\n",
                             static_cast<int>(error.code),
                             error.sys,
                             printable(error.message, error.message.size())));
}

}  // namespace

Result<ProbeReport> probe(const ProbePlan& plan, const ProbeCalls& calls) {
  const auto result = run_in_child([&](int pipe) { run_probe(plan, calls, pipe); }, plan.timeout);
  if (!result) return tl::unexpected<Error>(result.error());
  return read_probe(plan, *result);
}

}  // namespace verbs

Result<ProbeReport> probe(const ProbePlan& plan) {
  return verbs::probe(plan, {verbs::load_library, verbs::open_port});
}

}  // namespace manactl::datapath
