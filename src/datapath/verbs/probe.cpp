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

// Tells the parent before everything that may never come back.
class Teller final : public Watcher {
 public:
  explicit Teller(int pipe) : pipe_(pipe) {}

  void enter(Stage stage, std::string_view call = {}) {
    stage_ = stage;
    say(fmt::format("at\t{}\t{}\n", id_of(stage), call));
  }

  void before(std::string_view call, const PortPlace* place) override {
    if (place != nullptr) {
      say(fmt::format("port\t{}\t{}\t{}\n", place->device, place->slot, place->port));
    }
    enter(stage_of(call), call);
  }

  void say(std::string_view line) const { tell(pipe_, line); }

 private:
  // Calls that several stages make belong to the one that was entered.
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

// Interfaces of the software adapter are none of the kernel's: only its own files have them.
Result<Nic> find_simulated(const Library& library, const std::string& name) {
  int count = 0;
  library.about_to("get_device_list");
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
              fmt::format("the software adapter has no '{}'; it has: {}",
                          printable(name, 40),
                          known.empty() ? std::string("nothing") : join(known, ", ")));
}

Result<std::unique_ptr<Context>> open_port(const Library& library, const ProbePlan& plan) {
  const auto nic = plan.nic ? Result<Nic>(*plan.nic) : find_simulated(library, plan.interface);
  if (!nic) return tl::unexpected<Error>(nic.error());
  return Context::open(library, nic->pci, nic->mac);
}

Result<> make_queues(const ProbePlan& plan, std::unique_ptr<Context> context, Teller& teller) {
  constexpr std::uint32_t kEntries = 64;
  constexpr std::uint32_t kReceivers = 2;  // so that there is something to spread over
  const auto& limits = context->limits();
  const auto entries = limits.entries == 0 ? kEntries : std::min(kEntries, limits.entries);
  std::optional<SendQueue> sender;
  std::optional<ReceiveQueues> receivers;
  teller.enter(Stage::cq);
  if (auto cq = context->make_cq(entries); !cq) return tl::unexpected<Error>(cq.error());
  if (plan.keep_off.empty()) {
    // The first QP claims the port, or learns that it is taken. Receiving without it would take
    // the packets of whoever has the port.
    teller.enter(Stage::qp);
    auto made = SendQueue::make(*context, entries);
    if (!made) return tl::unexpected<Error>(made.error());
    sender.emplace(std::move(*made));
    teller.enter(Stage::rss_qp);
    auto both = ReceiveQueues::make(*context, limits.queues == 1 ? 1 : kReceivers, entries);
    if (!both) return tl::unexpected<Error>(both.error());
    receivers.emplace(std::move(*both));
  }
  teller.enter(Stage::release);
  receivers.reset();
  sender.reset();
  context.reset();
  return {};
}

Result<> walk(const ProbePlan& plan, const Doors& doors, Teller& teller) {
  teller.enter(Stage::libraries);
  auto library = doors.load();
  if (!library) return tl::unexpected<Error>(library.error());
  teller.say(fmt::format("version\t{}\n", version_of(*library)));
  library->watcher = &teller;
  teller.enter(Stage::find);
  auto context = doors.open(*library, plan);
  if (!context) return tl::unexpected<Error>(context.error());
  return make_queues(plan, std::move(*context), teller);
}

void answer(const ProbePlan& plan, const Doors& doors, int pipe) {
  constexpr std::size_t kLongest = 1000;
  Teller teller(pipe);
  const auto good = walk(plan, doors, teller);
  if (good) return teller.say("done\n");
  const auto& error = good.error();
  teller.say(fmt::format("fail\t{}\t{}\t{}\n",
                         static_cast<int>(error.code),
                         error.sys,
                         printable(error.message, kLongest)));
}

}  // namespace

Result<ProbeReport> probe(const ProbePlan& plan, const Doors& doors) {
  const auto told = ask_child([&](int pipe) { answer(plan, doors, pipe); }, plan.patience);
  if (!told) return tl::unexpected<Error>(told.error());
  return read_probe(plan, *told);
}

}  // namespace verbs

Result<ProbeReport> probe(const ProbePlan& plan) {
  return verbs::probe(plan, {verbs::load_library, verbs::open_port});
}

}  // namespace manactl::datapath
