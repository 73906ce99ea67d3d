// SPDX-License-Identifier: MIT

#include "setup/fake_vm.h"

#include <linux/if.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "setup/fake_interfaces.h"
#include "setup/sysfs.h"

namespace manactl::test {

using std::chrono::milliseconds;

namespace {

// Returns 00:0d:3a:76:3b:d0 plus `number`.
MacAddress mac_of(unsigned number) {
  constexpr unsigned kFirst = 0x3bd0;
  const unsigned last = kFirst + number;
  return {{0,
           0x0d,
           0x3a,
           0x76,
           static_cast<std::uint8_t>(last >> 8U),
           static_cast<std::uint8_t>(last)}};
}

std::string vmbus_id(unsigned number) {
  const auto mac = mac_of(number).bytes;
  const auto last = fmt::format("{:02x}{:02x}", mac[4], mac[5]);
  return fmt::format("000d3a76-{}-000d-3a76-{}000d3a76", last, last);
}

os::Link made_link(int index, std::string name, unsigned number, unsigned flags) {
  os::Link link;
  link.index = index;
  link.name = std::move(name);
  link.flags = flags;
  link.operstate = "up";
  link.mtu = 1500;
  link.mac = mac_of(number);
  return link;
}

constexpr unsigned kRunning = IFF_UP | IFF_RUNNING | IFF_LOWER_UP;
constexpr unsigned kUp = kRunning | IFF_BROADCAST;

}  // namespace

FakeVm::FakeVm(unsigned more_nics) {
  state.modules = {"mana", "hv_netvsc", "ib_uverbs"};
  state.pools["sys/devices/system/node/node0/hugepages/hugepages-2048kB"] = 64;
  state.pools["sys/devices/system/node/node0/hugepages/hugepages-1048576kB"] = 0;
  for (unsigned n = 0; n < 2 + more_nics; ++n) {
    const int index = static_cast<int>(2 * n + 2);
    const std::string vf = n == 0 ? "enP30832p0s0" : fmt::format("enP30832p0s0d{}", n);
    const std::string name = fmt::format("eth{}", n);
    state.links[index] = made_link(index, name, n, kUp);
    state.links[index + 1] = made_link(index + 1, vf, n, kUp | IFF_SLAVE);
    state.links[index + 1].master = index;
    state.channels.push_back(
        {vmbus_id(n), setup::kNetvsc, "", state.links[index].mac.str(), vf, name, ""});
    os::Address address{index, fmt::format("10.0.{}.4", n), 24};
    address.broadcast = fmt::format("10.0.{}.255", n);
    address.label = name;
    state.addresses.push_back(address);
    state.addresses.push_back({index, fmt::format("2001:db8:{}::4", n), 64});
    state.addresses.push_back({index, fmt::format("fe80::{}", n + 1), 64, RT_SCOPE_LINK});
    state.routes.push_back(connected_route(index, address));
  }
  os::Route gateway;
  gateway.destination = "default";
  gateway.gateway = "10.0.0.1";
  gateway.outputs = {2};
  gateway.table = RT_TABLE_MAIN;
  state.routes.push_back(gateway);
  gateway.destination = "192.0.2.0/24";
  gateway.gateway = "10.0.1.1";
  gateway.outputs = {4};
  gateway.protocol = RTPROT_STATIC;
  gateway.metric = 50;
  state.routes.push_back(gateway);
  state.settings[4]["proc/sys/net/ipv4/conf/@/rp_filter"] = "2";
  parts_ = std::make_unique<Parts>(*this);
  sockets = parts_->captured->system().sockets.tcp();
  rebuild();
}

FakeVm::~FakeVm() {
  std::error_code ignored;
  std::filesystem::remove_all(std::filesystem::path(parts_->lock).parent_path(), ignored);
}

setup::Journal& FakeVm::journal() {
  return parts_->journal;
}

os::DurableDirectory& FakeVm::durable() {
  return parts_->durable;
}

setup::Persistence FakeVm::persistence() const {
  return setup::Persistence(std::filesystem::path(parts_->lock).parent_path());
}

setup::SetupContext FakeVm::context(std::string command) {
  return {{parts_->system(), parts_->clock},
          parts_->journal,
          parts_->lock,
          std::move(command),
          {},
          persistence()};
}

void FakeVm::fail_at(unsigned at, Fault fault) {
  changes_ = 0;
  fail_at_ = at;
  fault_ = fault;
}

int FakeVm::error_now(bool disk) const {
  const bool now = changes_ == fail_at_;
  const bool since = fail_at_ != 0 && changes_ >= fail_at_;
  if ((now && fault_ == Fault::refused) || (since && fault_ == Fault::refused_from)) return EIO;
  const bool full =
      (now && fault_ == Fault::disk_full) || (since && fault_ == Fault::disk_full_from);
  return full && disk ? ENOSPC : 0;
}

Result<> FakeVm::may_read(std::string_view what) const {
  if (unreadable.empty()) return {};
  const auto found = unreadable.find(std::string(what));
  if (found == unreadable.end() || found->second-- != 0) return {};
  found->second = 0;
  return fail_errno(EIO, fmt::format("cannot read {}", what));
}

Result<> FakeVm::act(const std::string& what, bool disk, const std::function<Result<>()>& effect) {
  ++changes_;
  log_.push_back(what);
  const bool now = changes_ == fail_at_;
  if (now && fault_ == Fault::killed_before) throw Killed{};
  if (const int number = error_now(disk); number != 0) return fail_errno(number, "cannot " + what);
  const auto scripted = refused.find(what);
  if (scripted != refused.end()) return fail_errno(scripted->second, "cannot " + what);
  if (now && fault_ == Fault::ignored) return {};
  auto result = effect();
  rebuild();
  if (now && fault_ == Fault::killed_after) throw Killed{};
  if (after) {
    after(what);
    rebuild();
  }
  if (now && fault_ == Fault::failed_after) return fail_errno(EIO, "cannot " + what);
  return result;
}

void FakeVm::later(int time, std::function<void()> event) {
  events_.emplace_back(now_ + milliseconds(time), std::move(event));
}

void FakeVm::pass(milliseconds time) {
  const auto end = now_ + time;
  while (true) {
    const auto next = std::ranges::min_element(
        events_, {}, [](const auto& scheduled) { return scheduled.first; });
    if (next == events_.end() || next->first > end) break;
    now_ = std::max(now_, next->first);
    const auto event = std::move(next->second);
    events_.erase(next);
    event();  // may schedule others
    rebuild();
  }
  now_ = end;
}

const os::Link* FakeVm::link(const std::string& name) const {
  for (const auto& [index, link] : state.links) {
    if (link.name == name) return &link;
  }
  return nullptr;
}

os::Link* FakeVm::find(const std::string& name) {
  return const_cast<os::Link*>(link(name));
}

FakeChannel* FakeVm::channel_of(const std::string& id) {
  const auto found = std::find_if(
      state.channels.begin(), state.channels.end(), [&](const auto& c) { return c.id == id; });
  return found == state.channels.end() ? nullptr : &*found;
}

FakeChannel* FakeVm::channel_with(const os::Link& synthetic) {
  for (auto& channel : state.channels) {
    if (synthetic_of(channel) == &synthetic) return &channel;
  }
  return nullptr;
}

os::Link* FakeVm::synthetic_of(const FakeChannel& channel) {
  if (channel.driver != setup::kNetvsc) return nullptr;
  for (auto& [index, link] : state.links) {
    const bool is_hardware = link.kind.empty() && link.name != channel.vf;
    if (is_hardware && link.mac.str() == channel.mac) return &link;
  }
  return nullptr;
}

Result<> FakeVm::write(const std::string& path, const std::string& text) {
  const auto parts = split(path, '/');
  const std::string name(parts.back());
  const auto pool = state.pools.find(path.substr(0, path.rfind('/')));
  if (pool != state.pools.end() && name == "nr_hugepages") {
    pool->second = std::min(parse_unsigned(text).value_or(0), max_pages);
    return {};
  }
  for (const auto& [index, link] : state.links) {
    for (const auto& [key, initial] : kSettings) {
      if (path != setting_path(key, link.name)) continue;
      state.settings[index][key] = text;
      return {};
    }
  }
  if (!exists(tree(), path)) return fail_errno(ENOENT, "cannot write '/" + path + "'");
  if (name == "driver_override") {
    channel_of(std::string(parts[4]))->overridden = text;
    return {};
  }
  const std::string driver(parts[4]);
  if (name == "unbind") return unbind(driver, text);
  if (name == "bind") return bind(driver, text);
  if (name == "remove_id") {
    return state.ids.erase(text) != 0 ? Result<>() : fail_errno(ENODEV, "cannot remove the id");
  }
  if (!VmbusId::parse(text)) return fail_errno(EINVAL, "cannot add the id");
  if (!state.ids.insert(text).second) return fail_errno(EEXIST, "cannot add the id");
  for (auto& channel : state.channels) {
    if (channel.driver.empty() && channel.overridden.empty()) (void)attach(channel, driver);
  }
  return {};
}

Result<> FakeVm::unbind(const std::string& driver, const std::string& id) {
  auto* channel = channel_of(id);
  if (channel == nullptr || channel->driver != driver) return fail_errno(ENODEV, "cannot unbind");
  const auto* link = synthetic_of(*channel);
  channel->driver.clear();
  channel->uio.clear();
  if (link == nullptr) return {};
  // As in the kernel, the VF stays up or down and keeps IFF_SLAVE.
  remove_link(link->index);
  return {};
}

void FakeVm::remove_link(int removed) {
  for (auto& [index, other] : state.links) {
    if (other.master == removed) other.master.reset();
  }
  const auto by = [removed](const os::Route& route) { return route.outputs.at(0) == removed; };
  const auto on = [removed](const os::Address& address) { return address.index == removed; };
  state.routes.erase(std::remove_if(state.routes.begin(), state.routes.end(), by),
                     state.routes.end());
  state.addresses.erase(std::remove_if(state.addresses.begin(), state.addresses.end(), on),
                        state.addresses.end());
  state.settings.erase(removed);
  state.links.erase(removed);
}

void FakeVm::unplug_vf(const std::string& name) {
  if (const auto* vf = find(name)) remove_link(vf->index);
}

void FakeVm::plug_vf(const std::string& name) {
  const auto channel = std::find_if(
      state.channels.begin(), state.channels.end(), [&](const auto& c) { return c.vf == name; });
  const int index = state.next_index++;
  auto link = made_link(index, name, 0, IFF_BROADCAST);
  link.mac = *MacAddress::parse(channel->mac);
  state.links[index] = link;
  if (const auto* synthetic = synthetic_of(*channel)) join_later(synthetic->index, channel->id);
}

void FakeVm::unplug_nic(std::size_t n) {
  const auto channel = state.channels.at(n);
  unplug_vf(channel.vf);
  if (const auto* synthetic = synthetic_of(channel)) remove_link(synthetic->index);
  state.channels.erase(state.channels.begin() + static_cast<std::ptrdiff_t>(n));
}

void FakeVm::rename(const std::string& name, const std::string& new_name) {
  for (auto& channel : state.channels) {
    if (channel.vf == name) channel.vf = new_name;
  }
  find(name)->name = new_name;
}

void FakeVm::reoffer_nic(std::size_t n, const std::string& name) {
  auto& channel = state.channels.at(n);
  if (const auto* synthetic = synthetic_of(channel)) remove_link(synthetic->index);
  channel.usual_name = name;
  (void)attach(channel, setup::kNetvsc);
}

Result<> FakeVm::bind(const std::string& driver, const std::string& id) {
  auto* channel = channel_of(id);
  if (channel == nullptr) return fail_errno(ENODEV, "cannot bind");
  const bool by_id = driver == setup::kNetvsc || state.ids.count(setup::kNicClass) != 0;
  const bool fits = channel->overridden.empty() ? by_id : channel->overridden == driver;
  if (!fits) return fail_errno(ENODEV, "cannot bind");
  if (!channel->driver.empty()) return fail_errno(EBUSY, "cannot bind");
  return attach(*channel, driver);
}

Result<> FakeVm::attach(FakeChannel& channel, const std::string& driver) {
  channel.driver = driver;
  if (driver == setup::kUio) {
    std::size_t taken = 0;
    for (const auto& other : state.channels) taken += other.uio.empty() ? 0 : 1;
    channel.uio = fmt::format("uio{}", taken);
    return {};
  }
  const int index = state.next_index++;
  auto link = made_link(index, udev_renames ? channel.usual_name : "eth9", 0, IFF_BROADCAST);
  link.mac = *MacAddress::parse(channel.mac);
  state.links[index] = link;
  if (!vf_joins) return {};
  join_later(index, channel.id);
  return {};
}

bool FakeVm::has_route_to_gateway(const os::Route& route) const {
  if (route.gateway.empty() || route.onlink) return true;
  const auto network = route.gateway.substr(0, route.gateway.rfind('.')) + ".0/24";
  return std::any_of(state.routes.begin(), state.routes.end(), [&](const os::Route& other) {
    return other.gateway.empty() && other.destination == network && other.outputs == route.outputs;
  });
}

void FakeVm::join_later(int synthetic, const std::string& id) {
  later(20, [this, synthetic, id] {
    const auto* channel = channel_of(id);
    auto* vf = channel == nullptr ? nullptr : find(channel->vf);
    if (vf == nullptr || state.links.count(synthetic) == 0) return;
    vf->master = synthetic;
    vf->flags |= IFF_SLAVE;
    later(100, [this, synthetic, index = vf->index] { take_over(synthetic, index); });
  });
}

void FakeVm::take_over(int synthetic, int vf) {
  const auto found = state.links.find(vf);
  if (found == state.links.end() || found->second.master != synthetic) return;
  auto& link = found->second;
  link.mtu = state.links[synthetic].mtu;
  link.flags = state.links[synthetic].is_up() ? link.flags | kUp : link.flags & ~kRunning;
}

Result<> FakeVm::set_up(int index, bool up) {
  auto& link = state.links.at(index);
  link.flags = up ? link.flags | kUp : link.flags & ~kRunning;
  // hv_netvsc sets the VF up and down together with the synthetic interface.
  for (auto& [number, vf] : state.links) {
    if (vf.master == index) vf.flags = up ? vf.flags | kUp : vf.flags & ~kRunning;
  }
  if (up) {
    std::vector<os::Address> own;
    for (const auto& address : state.addresses) {
      if (address.index == index) own.push_back(address);
    }
    for (const auto& address : own) {
      if (address.text.find('.') != std::string::npos)
        state.routes.push_back(connected_route(index, address));
    }
    if (const auto* channel = channel_with(link)) {
      const auto number = static_cast<unsigned>(channel - state.channels.data());
      const os::Address own_address{index, fmt::format("fe80::{}", number + 1), 64, RT_SCOPE_LINK};
      const bool there = std::any_of(own.begin(), own.end(), [&](const os::Address& address) {
        return address.text == own_address.text;
      });
      if (!there) state.addresses.push_back(own_address);
    }
    return {};
  }
  const auto by = [&](const os::Route& route) { return route.outputs.at(0) == index; };
  const auto six = [&](const os::Address& address) {
    return address.index == index && address.text.find(':') != std::string::npos;
  };
  state.routes.erase(std::remove_if(state.routes.begin(), state.routes.end(), by),
                     state.routes.end());
  state.addresses.erase(std::remove_if(state.addresses.begin(), state.addresses.end(), six),
                        state.addresses.end());
  return {};
}

}  // namespace manactl::test
