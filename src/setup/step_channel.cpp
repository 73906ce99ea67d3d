// SPDX-License-Identifier: MIT

#include <cerrno>
#include <utility>

#include "base/text.h"
#include "setup/settings.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDriverTimeout{5000};
constexpr milliseconds kRenameTimeout{2000};

std::string echo(const std::string& text, const std::string& path) {
  return fmt::format("echo {} > /{}", shell_word(text), path);
}

// Reverting binds the channel again. The kernel then creates a new interface, which may get another
// name, and the VF joins it without further steps.
class UnbindChannel final : public Step {
 public:
  UnbindChannel(NicInterface synthetic, std::optional<NicInterface> vf)
      : Step(StepKind::unbind_channel, parameters_of(synthetic, vf)),
        id_(synthetic.channel),
        synthetic_(std::move(synthetic)),
        vf_(std::move(vf)) {}

  std::string title() const override {
    return fmt::format("unbind {} ({}) from {}", synthetic_.name, id_, kNetvsc);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto driver = driver_of(system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    return Values{{"driver", *driver}, {"joined", has_joined(system) ? "yes" : "no"}};
  }

  bool is_done(const Values& observed) const override {
    return value_at(observed, "driver") != kNetvsc;
  }

  Result<Values> apply(const StepContext& context) override {
    return with_no_values(context.system.files.write(driver_path(kNetvsc) + "/unbind", id_));
  }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    const auto driver = driver_of(context.system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    if (driver->empty()) {
      auto bound = context.system.files.write(driver_path(kNetvsc) + "/bind", id_);
      if (!bound) return bound;
    } else if (*driver != kNetvsc) {
      return fail(Errc::busy,
                  fmt::format("channel {} is bound to '{}': unbind it first", id_, *driver));
    }
    const auto created = wait_for_interface(context);
    if (!created) return created;
    const auto link = find_link(context.system, synthetic_);
    if (link && request.at_return != nullptr) {
      *request.at_return = file_settings(context.system, *link);
    }
    // Later reverts need the VF, whatever the name of the synthetic interface.
    const auto named = wait_for_name(context, request);
    const auto joined =
        value_at(request.record.before, "joined") == "yes" ? wait_for_vf(context) : Result<>();
    return named ? joined : named;
  }

  std::vector<std::string> manual_commands(const Values& /*before*/) const override {
    return {echo(id_, driver_path(kNetvsc) + "/bind")};
  }

 private:
  static Values parameters_of(const NicInterface& synthetic,
                              const std::optional<NicInterface>& vf) {
    auto values = vf ? vf->parameters() : Values();
    values["channel"] = synthetic.channel;
    values["interface"] = synthetic.name;
    if (vf) values["vf"] = vf->name;
    return values;
  }

  bool has_joined(const os::System& system) const {
    if (!vf_) return false;
    const auto vf = find_link(system, *vf_);
    const auto synthetic = find_link(system, synthetic_);
    return vf && synthetic && vf->master == synthetic->index;
  }

  Result<> wait_for_interface(const StepContext& context) const {
    const auto exists = [&] { return find_link(context.system, synthetic_).has_value(); };
    if (wait_until(context.clock, kDriverTimeout, exists)) return {};
    const auto link = find_link(context.system, synthetic_);
    if (!link && link.error().code != Errc::not_found) return tl::unexpected<Error>(link.error());
    return fail(Errc::timeout,
                fmt::format("{} did not create an interface for channel {}", kNetvsc, id_));
  }

  Result<> wait_for_vf(const StepContext& context) const {
    if (wait_until(context.clock, kDriverTimeout, [&] { return has_joined(context.system); })) {
      return {};
    }
    const auto vf = find_link(context.system, *vf_);
    if (!vf) return tl::unexpected<Error>(vf.error());
    return fail(
        Errc::timeout,
        fmt::format(
            "the VF {} did not join {} again", printable(vf->name), printable(synthetic_.name)));
  }

  // udev renames an interface after it appears. This function waits for that; after a timeout, it
  // renames the interface itself. The name may belong to another interface now.
  Result<> wait_for_name(const StepContext& context, const RevertRequest& request) const {
    if (synthetic_.name.empty()) return {};  // the former name is unknown
    const auto is_named = [&] {
      const auto link = find_link(context.system, synthetic_);
      return link && has_name(*link, synthetic_.name);
    };
    if (wait_until(context.clock, kRenameTimeout, is_named)) return {};
    const auto name = InterfaceName::parse(synthetic_.name);
    const auto link = find_link(context.system, synthetic_);
    if (!name) return tl::unexpected<Error>(name.error());
    if (!link) return tl::unexpected<Error>(link.error());
    const bool is_taken = find_link(context.system, synthetic_.name).has_value();
    if (is_taken && request.force) return {};
    if (!is_taken) return rename(context.system.links, *link, *name, request);
    return fail(Errc::busy,
                fmt::format("the interface of channel {} is named '{}', because another interface "
                            "has the name '{}' now: rename that one, or use --force to accept this",
                            id_,
                            printable(link->name),
                            printable(synthetic_.name)));
  }

  // Before Linux 6.2, an interface must be down to be renamed. The reverts of set_down and of
  // save_addresses restore the rest. If they are done already, the interface may be in use.
  static Result<> rename(os::Links& links,
                         const os::Link& link,
                         const InterfaceName& name,
                         const RevertRequest& request) {
    auto renamed = links.rename(link.index, name);
    if (renamed || renamed.error().sys != EBUSY) return renamed;
    if (request.is_repeated && request.force) return {};
    if (request.is_repeated) {
      return fail(Errc::busy,
                  fmt::format("'{}' is up, and this kernel renames only interfaces that are down: "
                              "set it down and rename it to '{}', or use --force to keep the name",
                              printable(link.name),
                              printable(name.str())));
    }
    const auto set = links.set_up(link.index, false);
    return set ? links.rename(link.index, name) : set;
  }

  std::string id_;
  NicInterface synthetic_;
  std::optional<NicInterface> vf_;
};

// With driver_override, only uio_hv_generic can bind to this channel, and hv_netvsc cannot. The
// attribute is therefore set after hv_netvsc is unbound, and cleared before hv_netvsc is bound
// again.
class OverrideDriver final : public Step {
 public:
  explicit OverrideDriver(std::string id)
      : Step(StepKind::override_driver, {{"channel", id}}), id_(std::move(id)) {}

  std::string title() const override {
    return fmt::format("set driver_override of channel {} to {}", id_, kUio);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto driver = override_of(system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    return Values{{"override", *driver}};
  }

  bool is_done(const Values& observed) const override {
    return value_at(observed, "override") == kUio;
  }

  Result<Values> apply(const StepContext& context) override {
    return with_no_values(context.system.files.write(file(), kUio));
  }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    const auto now = override_of(context.system.files, id_);
    if (!now) return tl::unexpected<Error>(now.error());
    const auto before = value_at(request.record.before, "override");
    if (*now == before) return {};
    if (*now != kUio && !request.force) return fail_changed("/" + file(), *now, kUio);
    // A write(2) of zero bytes does not reach the attribute. A newline clears it.
    return context.system.files.write(file(), before.empty() ? "\n" : before);
  }

  std::vector<std::string> manual_commands(const Values& before) const override {
    return {echo(value_at(before, "override"), file())};
  }

 private:
  std::string file() const { return device_path(id_) + "/driver_override"; }

  std::string id_;
};

// Lets uio_hv_generic bind to every network channel; only for kernels without driver_override. The
// list of ids cannot be read; new_id fails with EEXIST if the list contains the id.
class AddClassId final : public Step {
 public:
  explicit AddClassId(bool shared)
      : Step(StepKind::add_class_id, {{"shared", shared ? "yes" : "no"}}), shared_(shared) {}

  std::string title() const override { return fmt::format("add the network class id to {}", kUio); }

  Result<Values> observe(const os::System& system) const override {
    const bool loaded = exists(system.files, driver_path(kUio));
    return Values{{"id", loaded ? "unknown" : "absent"}};
  }

  bool is_done(const Values& /*observed*/) const override { return false; }

  Result<Values> apply(const StepContext& context) override {
    const auto written = context.system.files.write(driver_path(kUio) + "/new_id", kNicClass);
    if (written) return Values{{"id", "added"}};
    if (written.error().sys == EEXIST) return Values{{"id", shared_ ? "added" : "existed"}};
    // apply() succeeds, so that the journal records that nothing was added; verify() fails.
    error_ = tl::unexpected<Error>(written.error());
    return Values{{"id", "existed"}};
  }

  Result<> verify(const os::System& /*system*/) const override { return error_; }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    if (!request.record.begun) return {};  // others added it
    const std::string id = value_at(request.record.after, "id");
    // The revert of the last NIC that needs the id removes it.
    if (id == "existed" || !request.other_records.empty()) return {};
    if (!exists(context.system.files, driver_path(kUio))) return {};
    auto written = context.system.files.write(driver_path(kUio) + "/remove_id", kNicClass);
    if (!written && written.error().sys != ENODEV) return written;
    const bool known =
        id == "added" || shared_ || value_at(request.record.before, "id") == "absent";
    if (known || !written) return {};
    return fail(
        Errc::io,
        fmt::format("removed the network class id from {}, although something else may have "
                    "added it: if you added it, write it to new_id again",
                    kUio));
  }

  std::vector<std::string> manual_commands(const Values& /*before*/) const override {
    return {echo(kNicClass, driver_path(kUio) + "/remove_id")};
  }

 private:
  bool shared_;
  Result<> error_;
};

class BindChannel final : public Step {
 public:
  explicit BindChannel(std::string id)
      : Step(StepKind::bind_channel, {{"channel", id}}), id_(std::move(id)) {}

  std::string title() const override { return fmt::format("bind channel {} to {}", id_, kUio); }

  Result<Values> observe(const os::System& system) const override {
    const auto driver = driver_of(system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    return Values{{"driver", *driver}};
  }

  bool is_done(const Values& observed) const override {
    return value_at(observed, "driver") == kUio;
  }

  Result<Values> apply(const StepContext& context) override {
    return with_no_values(context.system.files.write(driver_path(kUio) + "/bind", id_));
  }

  Result<> revert(const StepContext& context, const RevertRequest& /*request*/) override {
    const auto driver = driver_of(context.system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    if (*driver != kUio) return {};
    return context.system.files.write(driver_path(kUio) + "/unbind", id_);
  }

  std::vector<std::string> manual_commands(const Values& /*before*/) const override {
    return {echo(id_, driver_path(kUio) + "/unbind")};
  }

 private:
  std::string id_;
};

class WaitForUio final : public Step {
 public:
  explicit WaitForUio(std::string id)
      : Step(StepKind::wait_for_uio, {{"channel", id}}), id_(std::move(id)) {}

  std::string title() const override {
    return fmt::format("wait for the uio device of channel {}", id_);
  }

  Result<Values> observe(const os::System& system) const override {
    return Values{{"uio", uio_of(system.files, id_).value_or("")}};
  }

  bool is_done(const Values& observed) const override { return !value_at(observed, "uio").empty(); }

  Result<Values> apply(const StepContext& context) override {
    const auto& files = context.system.files;
    if (wait_until(context.clock, kDriverTimeout, [&] { return uio_of(files, id_); })) {
      return Values{};
    }
    return fail(Errc::timeout,
                fmt::format("{} did not create a uio device for channel {}", kUio, id_));
  }

 private:
  std::string id_;
};

}  // namespace

std::unique_ptr<Step> unbind_channel(const NicInterface& synthetic,
                                     const std::optional<NicInterface>& vf) {
  return std::make_unique<UnbindChannel>(synthetic, vf);
}

std::unique_ptr<Step> override_driver(const std::string& id) {
  return std::make_unique<OverrideDriver>(id);
}

std::unique_ptr<Step> add_class_id(bool shared) {
  return std::make_unique<AddClassId>(shared);
}

bool has_added_class_id(const StepRecord& record) {
  return record.kind == StepKind::add_class_id && value_at(record.after, "id") == "added";
}

std::unique_ptr<Step> bind_channel(const std::string& id) {
  return std::make_unique<BindChannel>(id);
}

std::unique_ptr<Step> wait_for_uio(const std::string& id) {
  return std::make_unique<WaitForUio>(id);
}

}  // namespace manactl::setup
