// SPDX-License-Identifier: MIT

#include <cerrno>

#include "base/text.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDriverTime{5000};
constexpr milliseconds kRenameTime{2000};

std::string echo(const std::string& text, const std::string& path) {
  return fmt::format("echo {} > /{}", quoted(text), path);
}

// From hv_netvsc to nobody. Going back makes the interface anew: it may get another name, and the
// VF joins it by itself.
class ReleaseChannel final : public Step {
 public:
  ReleaseChannel(std::string id, std::string interface, std::string vf)
      : id_(std::move(id)), interface_(std::move(interface)), vf_(std::move(vf)) {}

  std::string_view kind() const override { return "release"; }

  Values parameters() const override {
    return {{"channel", id_}, {"interface", interface_}, {"vf", vf_}};
  }

  std::string title() const override {
    return fmt::format("take {} ({}) from {}", interface_, id_, kNetvsc);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto driver = driver_of(system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    return Values{{"driver", *driver}, {"joined", has_joined(system) ? "yes" : "no"}};
  }

  bool done(const Values& seen) const override { return value_of(seen, "driver") != kNetvsc; }

  Result<Values> apply(Machine& machine) override {
    const auto written = machine.system.files.write(driver_path(kNetvsc) + "/unbind", id_);
    if (!written) return tl::unexpected<Error>(written.error());
    return Values{};
  }

  Result<> revert(Machine& machine, const Undo& undo) override {
    const auto driver = driver_of(machine.system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    if (driver->empty()) {
      auto bound = machine.system.files.write(driver_path(kNetvsc) + "/bind", id_);
      if (!bound) return bound;
    } else if (*driver != kNetvsc) {
      return foreign("the driver of channel " + id_, *driver, "");
    }
    auto named = wait_for_name(machine);
    if (!named) return named;
    if (value_of(undo.record.before, "joined") != "yes") return {};
    if (wait_until(machine.clock, kDriverTime, [&] { return has_joined(machine.system); })) {
      return {};
    }
    if (const auto vf = find_link(machine.system, vf_); !vf) {
      return tl::unexpected<Error>(vf.error());
    }
    return fail(
        Errc::timeout,
        fmt::format(
            "{} did not take its VF {} in again", printable(interface_, 60), printable(vf_, 60)));
  }

  std::vector<std::string> by_hand(const Values& /*before*/) const override {
    return {echo(id_, driver_path(kNetvsc) + "/bind")};
  }

 private:
  bool has_joined(const os::System& system) const {
    if (vf_.empty()) return false;
    const auto vf = find_link(system, vf_);
    const auto synthetic = find_link(system, interface_);
    return vf && synthetic && vf->master == synthetic->index;
  }

  // udev gives names after the interface is there; when it did not, we do.
  Result<> wait_for_name(Machine& machine) const {
    const auto& files = machine.system.files;
    if (!wait_until(machine.clock, kDriverTime, [&] { return interface_of(files, id_); })) {
      return fail(Errc::timeout, fmt::format("{} made no interface for {}", kNetvsc, id_));
    }
    if (interface_.empty()) return {};  // nobody knows what it was called
    const auto is_named = [&] { return interface_of(files, id_) == interface_; };
    if (wait_until(machine.clock, kRenameTime, is_named)) return {};
    const auto name = InterfaceName::parse(interface_);
    const auto link = find_link(machine.system, interface_of(files, id_).value_or(""));
    if (!name) return tl::unexpected<Error>(name.error());
    if (!link) return tl::unexpected<Error>(link.error());
    return machine.system.links.rename(link->index, *name);
  }

  std::string id_, interface_, vf_;
};

// With it only uio_hv_generic fits this one channel. Set after the channel was released and taken
// away before it goes back, because hv_netvsc does not fit meanwhile.
class OverrideDriver final : public Step {
 public:
  explicit OverrideDriver(std::string id) : id_(std::move(id)) {}

  std::string_view kind() const override { return "override"; }

  Values parameters() const override { return {{"channel", id_}}; }

  std::string title() const override {
    return fmt::format("let only {} have channel {}", kUio, id_);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto driver = override_of(system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    return Values{{"override", *driver}};
  }

  bool done(const Values& seen) const override { return value_of(seen, "override") == kUio; }

  Result<Values> apply(Machine& machine) override {
    const auto written = machine.system.files.write(file(), kUio);
    if (!written) return tl::unexpected<Error>(written.error());
    return Values{};
  }

  Result<> revert(Machine& machine, const Undo& undo) override {
    const auto now = override_of(machine.system.files, id_);
    if (!now) return tl::unexpected<Error>(now.error());
    const auto before = value_of(undo.record.before, "override");
    if (*now == before) return {};
    if (*now != kUio && !undo.force) return foreign("/" + file(), *now, kUio);
    // An empty write(2) never reaches the driver; a newline clears it.
    return machine.system.files.write(file(), before.empty() ? "\n" : before);
  }

  std::vector<std::string> by_hand(const Values& before) const override {
    return {echo(value_of(before, "override"), file())};
  }

 private:
  std::string file() const { return device_path(id_) + "/driver_override"; }

  std::string id_;
};

// Makes uio_hv_generic fit every NIC channel, so it is only for kernels without driver_override.
// The list of ids cannot be read; only a refusal tells that one is there.
class AnnounceClass final : public Step {
 public:
  explicit AnnounceClass(bool shared) : shared_(shared) {}

  std::string_view kind() const override { return "new-id"; }

  Values parameters() const override { return {{"shared", shared_ ? "yes" : "no"}}; }

  std::string title() const override { return fmt::format("let {} have network channels", kUio); }

  Result<Values> observe(const os::System& system) const override {
    const bool loaded = exists(system.files, driver_path(kUio));
    return Values{{"id", loaded ? "unknown" : "absent"}};
  }

  bool done(const Values& /*seen*/) const override { return false; }

  Result<Values> apply(Machine& machine) override {
    const auto written = machine.system.files.write(driver_path(kUio) + "/new_id", kNicClass);
    if (written) return Values{{"id", "added"}};
    if (written.error().sys == EEXIST) return Values{{"id", shared_ ? "added" : "existed"}};
    // Going back has to know that nothing was added.
    answer_ = tl::unexpected<Error>(written.error());
    return Values{{"id", "existed"}};
  }

  Result<> verify(const os::System& /*system*/) const override { return answer_; }

  Result<> revert(Machine& machine, const Undo& undo) override {
    const std::string answer = value_of(undo.record.after, "id");
    // The last NIC that needs it takes it away.
    if (answer == "existed" || !undo.others.empty()) return {};
    if (!exists(machine.system.files, driver_path(kUio))) return {};
    auto written = machine.system.files.write(driver_path(kUio) + "/remove_id", kNicClass);
    if (!written && written.error().sys != ENODEV) return written;
    const bool known =
        answer == "added" || shared_ || value_of(undo.record.before, "id") == "absent";
    if (known || !written) return {};
    return fail(Errc::io,
                fmt::format("whether {} knew the network class before cannot be known: the id was "
                            "removed; if it was yours, write it again",
                            kUio));
  }

  std::vector<std::string> by_hand(const Values& /*before*/) const override {
    return {echo(kNicClass, driver_path(kUio) + "/remove_id")};
  }

 private:
  bool shared_;
  Result<> answer_;
};

class BindChannel final : public Step {
 public:
  explicit BindChannel(std::string id) : id_(std::move(id)) {}

  std::string_view kind() const override { return "bind"; }

  Values parameters() const override { return {{"channel", id_}}; }

  std::string title() const override { return fmt::format("give channel {} to {}", id_, kUio); }

  Result<Values> observe(const os::System& system) const override {
    const auto driver = driver_of(system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    return Values{{"driver", *driver}};
  }

  bool done(const Values& seen) const override { return value_of(seen, "driver") == kUio; }

  Result<Values> apply(Machine& machine) override {
    const auto written = machine.system.files.write(driver_path(kUio) + "/bind", id_);
    if (!written) return tl::unexpected<Error>(written.error());
    return Values{};
  }

  Result<> revert(Machine& machine, const Undo& /*undo*/) override {
    const auto driver = driver_of(machine.system.files, id_);
    if (!driver) return tl::unexpected<Error>(driver.error());
    if (*driver != kUio) return {};
    return machine.system.files.write(driver_path(kUio) + "/unbind", id_);
  }

  std::vector<std::string> by_hand(const Values& /*before*/) const override {
    return {echo(id_, driver_path(kUio) + "/unbind")};
  }

 private:
  std::string id_;
};

class WaitForUio final : public Step {
 public:
  explicit WaitForUio(std::string id) : id_(std::move(id)) {}

  std::string_view kind() const override { return "uio"; }

  Values parameters() const override { return {{"channel", id_}}; }

  std::string title() const override { return fmt::format("wait for the uio device of {}", id_); }

  Result<Values> observe(const os::System& system) const override {
    return Values{{"uio", uio_of(system.files, id_).value_or("")}};
  }

  bool done(const Values& seen) const override { return !value_of(seen, "uio").empty(); }

  Result<Values> apply(Machine& machine) override {
    const auto& files = machine.system.files;
    if (wait_until(machine.clock, kDriverTime, [&] { return uio_of(files, id_); })) {
      return Values{};
    }
    return fail(Errc::timeout, fmt::format("{} made no uio device for {}", kUio, id_));
  }

  Result<> revert(Machine& /*machine*/, const Undo& /*undo*/) override { return {}; }

  std::vector<std::string> by_hand(const Values& /*before*/) const override { return {}; }

 private:
  std::string id_;
};

}  // namespace

std::unique_ptr<Step> release_channel(const std::string& id,
                                      const std::string& interface,
                                      const std::string& vf) {
  return std::make_unique<ReleaseChannel>(id, interface, vf);
}

std::unique_ptr<Step> override_driver(const std::string& id) {
  return std::make_unique<OverrideDriver>(id);
}

std::unique_ptr<Step> announce_class(bool shared) {
  return std::make_unique<AnnounceClass>(shared);
}

std::unique_ptr<Step> bind_channel(const std::string& id) {
  return std::make_unique<BindChannel>(id);
}

std::unique_ptr<Step> wait_for_uio(const std::string& id) {
  return std::make_unique<WaitForUio>(id);
}

}  // namespace manactl::setup
