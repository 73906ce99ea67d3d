// SPDX-License-Identifier: MIT
//
// Brings up a device and runs a script from the fuzzer. Each step writes bytes to a ring or buffer
// and rings a doorbell. Afterwards a new driver must still be able to use the device.

#include <cstdlib>

#include "device/driver.h"

namespace manactl::device {
namespace {

class Script {
 public:
  explicit Script(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

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

void step(Script& script, MemoryGuest& guest, Device& device, Driver& driver) {
  WriteQueue* queues[] = {&driver.channel_sq,
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
  const auto page = kDoorbellsAt + kDoorbellPageId * kDoorbellPageBytes;
  if (bell) device.store(page + (queue.is_sq ? 0 : 0x400), wire::load(*bell, 0, 8));
  if (script.number(1) % 4 == 0) {
    device.store(kDoorbellsAt + static_cast<std::uint32_t>(script.number(2) % 0x4000),
                 script.number(8));
  }
  if (script.number(1) % 16 == 0) {
    const auto bytes = script.take(32);
    std::ranges::copy(bytes, guest.shared.begin());
    device.store(kSharedMemoryAt + 28, 0);
  }
}

}  // namespace

void fuzz(std::span<const std::uint8_t> bytes) {
  static MemoryGuest guest;
  static Trace trace;
  static const Options options = *parse_options({"socket"});
  const auto clear_guest = [] {
    std::fill_n(guest.ram.begin(), guest.next - MemoryGuest::kFirst + 0x10000, std::uint8_t{0});
    guest.next = MemoryGuest::kFirst;
    guest.interrupts.clear();
  };
  clear_guest();
  Device device(guest, options, trace);
  Driver driver(guest, device);
  driver.bring_up();
  Script script(bytes);
  while (!script.done()) step(script, guest, device, driver);
  clear_guest();
  Driver next(guest, device);
  next.bring_up();
  next.tear_down();
  if (device.queues().wqs().size() != 0) std::abort();
}

}  // namespace manactl::device

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  manactl::device::fuzz({data, size});
  return 0;
}
