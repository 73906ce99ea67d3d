// SPDX-License-Identifier: MIT
//
// Fuzzes the input of mana-device: what a guest writes to its memory and to the BAR, and the
// messages of QEMU. Afterward, the device must still be usable.

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "device/driver.h"
#include "device/listener.h"
#include "device/pci_proxy/server.h"
#include "device/qemu_client.h"
#include "device/vfio_user/server.h"
#include "fuzz/entry_points.h"
#include "fuzz/require.h"

namespace manactl::fuzz {
namespace {

using device::MemoryGuest;

// Splits the input into numbers and pieces. At its end, numbers are 0 and pieces are shorter.
class Script {
 public:
  explicit Script(std::string_view input)
      : rest_(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()) {}

  bool done() const { return rest_.empty(); }

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const auto byte : take(bytes)) value = (value << 8U) | byte;
    return value;
  }

  std::span<const std::uint8_t> take(std::size_t bytes) {
    const auto piece = rest_.first(std::min(bytes, rest_.size()));
    rest_ = rest_.subspan(piece.size());
    return piece;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

const device::Options& options() {
  static const device::Options options = *device::parse_options({"socket"});
  return options;
}

// Writes bytes to a ring or buffer, and rings a doorbell.
void write_and_ring(Script& script,
                    MemoryGuest& guest,
                    device::Device& device,
                    device::Driver& driver) {
  device::WriteQueue* queues[] = {&driver.channel_sq,
                                  &driver.channel_rq,
                                  &driver.ports[0].tx.work,
                                  &driver.ports[0].rx.work,
                                  &driver.ports[1].tx.work,
                                  &driver.ports[1].rx.work};
  auto& queue = *queues[script.number(1) % 6];
  const auto at = queue.base + script.number(2) % 0x4000;
  guest.write(at, script.take(script.number(1)));
  queue.head += 32 * static_cast<std::uint32_t>(script.number(1) % 16);
  const auto bell = wire::encode(wire::SqDoorbell{queue.id, queue.head});
  const auto page = device::kDoorbellsAt + device::kDoorbellPageId * device::kDoorbellPageBytes;
  if (bell) device.store(page + (queue.is_sq ? 0 : 0x400), wire::load(*bell, 0, 8));
  if (script.number(1) % 4 == 0) {
    device.store(device::kDoorbellsAt + static_cast<std::uint32_t>(script.number(2) % 0x4000),
                 script.number(8));
  }
  if (script.number(1) % 16 == 0) {
    std::ranges::copy(script.take(32), guest.shared.begin());
    device.store(device::kSharedMemoryAt + 28, 0);
  }
}

// QEMU and the device it uses, in one thread. Derived classes know the protocol.
class FuzzedQemu {
 public:
  virtual ~FuzzedQemu() = default;

  virtual void connect() {
    ends_.emplace();
    server().attach(std::move(ends_->device));
  }

  // Sends one message and lets the device handle it. Most messages have a valid length.
  void run(Script& script) {
    const auto kind = script.number(1);
    const auto bytes = script.take(script.number(1));
    auto message = this->message(script.number(1), {bytes.begin(), bytes.end()});
    if (kind % 16 == 0) std::ranges::copy(script.take(16), message.begin());
    const int file = ram_.get();
    device::send_bytes(ends_->qemu, message, {&file, kind % 2});
    // Twice, because a message may end before its bytes.
    for (int i = 0; i < 2; ++i) {
      if (serve()) continue;
      server().detach();
      device_->reset();
      return connect();
    }
  }

  // Connects again, and requires that the device can still be used.
  void check() {
    server().detach();
    device_->reset();
    connect();
    device::send_bytes(ends_->qemu, read_ids());
    require(serve());
    require(std::search(reply_.begin(), reply_.end(), kIds.begin(), kIds.end()) != reply_.end());
  }

 protected:
  static constexpr std::size_t kRam = 1U << 20U;
  static constexpr std::array<std::uint8_t, 4> kIds = {0x14, 0x14, 0xba, 0x00};

  virtual device::FrontEnd& server() = 0;

  // A message with this command and body.
  virtual std::vector<std::uint8_t> message(std::uint64_t command,
                                            std::vector<std::uint8_t> body) = 0;

  // A message that reads the vendor and device IDs.
  virtual std::vector<std::uint8_t> read_ids() = 0;

  void create_device() { device_.emplace(server().guest(), options(), trace_); }

  device::Trace trace_;

 private:
  // Handles a message, and reads what the device has sent.
  bool serve() {
    const auto served = server().serve(*device_);
    device_->retry_interrupts();
    reply_.assign(1U << 17U, 0);
    const auto got = ::recv(ends_->qemu.get(), reply_.data(), reply_.size(), MSG_DONTWAIT);
    reply_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return served && *served;
  }

  Descriptor ram_ = device::ram_file(kRam);
  std::optional<device::SocketPair> ends_;
  std::optional<device::Device> device_;
  std::vector<std::uint8_t> reply_;
};

class FuzzedVfioUser : public FuzzedQemu {
 public:
  FuzzedVfioUser() { create_device(); }

 private:
  device::FrontEnd& server() override { return server_; }

  std::vector<std::uint8_t> message(std::uint64_t command,
                                    std::vector<std::uint8_t> body) override {
    using device::vfio_user::Command;
    const device::vfio_user::Header header{
        0, static_cast<Command>(command % 15), static_cast<std::uint32_t>(16 + body.size())};
    // The reply must fit in the socket, because nobody reads it meanwhile.
    if (header.command == Command::region_read && body.size() >= 16) body[14] = body[15] = 0;
    auto bytes = device::body(header);
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
  }

  std::vector<std::uint8_t> read_ids() override {
    using namespace device::vfio_user;
    return device::body(Header{0, Command::region_read, sizeof(Header) + sizeof(RegionAccess)},
                        RegionAccess{0, kConfigRegion, 4});
  }

  device::vfio_user::Server server_{trace_};
};

class FuzzedPciProxy : public FuzzedQemu {
 public:
  FuzzedPciProxy() { create_device(); }

  // Also closes the connection that the device has made before.
  void connect() override {
    FuzzedQemu::connect();
    listener_.accept();
  }

 private:
  device::FrontEnd& server() override { return server_; }

  std::vector<std::uint8_t> message(std::uint64_t command,
                                    std::vector<std::uint8_t> body) override {
    using device::pci_proxy::Command;
    const auto type = static_cast<Command>(command % 9);
    if (command < 240) {  // the device refuses bodies of any other length
      const bool is_config = type == Command::read_config || type == Command::write_config;
      body.resize(type == Command::sync_memory ? 192 : is_config ? 12 : 24);
    }
    auto bytes = device::body(device::pci_proxy::Header{type, 0, body.size()});
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
  }

  std::vector<std::uint8_t> read_ids() override {
    using namespace device::pci_proxy;
    return device::body(Header{Command::read_config, 0, sizeof(ConfigAccess)},
                        ConfigAccess{0, 0, 4});
  }

  std::string path_ = "/tmp/fuzz-qtest-" + std::to_string(::getpid());
  device::Listener listener_ = *device::Listener::open(path_, SOCK_STREAM);
  device::pci_proxy::Server server_{path_, trace_};
};

}  // namespace

void device(std::string_view input) {
  static MemoryGuest guest;
  static device::Trace trace;
  const auto clear_guest = [] {
    std::fill_n(guest.ram.begin(), guest.next - MemoryGuest::kFirst + 0x10000, std::uint8_t{0});
    guest.next = MemoryGuest::kFirst;
    guest.interrupts.clear();
  };
  clear_guest();
  device::Device device(guest, options(), trace);
  device::Driver driver(guest, device);
  driver.bring_up();
  Script script(input);
  while (!script.done()) write_and_ring(script, guest, device, driver);
  clear_guest();
  device::Driver next(guest, device);
  next.bring_up();
  next.tear_down();
  require(device.queues().wqs().size() == 0);
}

void qemu(std::string_view input) {
  Script script(input);
  std::unique_ptr<FuzzedQemu> qemu;
  if (script.number(1) % 2 == 0) {
    qemu = std::make_unique<FuzzedVfioUser>();
  } else {
    qemu = std::make_unique<FuzzedPciProxy>();
  }
  qemu->connect();
  while (!script.done()) qemu->run(script);
  qemu->check();
}

}  // namespace manactl::fuzz
