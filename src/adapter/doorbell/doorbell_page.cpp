// SPDX-License-Identifier: MIT

#include "adapter/doorbell/doorbell_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "wire/doorbell.h"

namespace manactl::adapter {

using wire::DoorbellTarget;

Result<std::unique_ptr<DoorbellPage>> DoorbellPage::make() {
  std::unique_ptr<DoorbellPage> page(new DoorbellPage);
  page->fd_ = memfd_create("manactl-doorbells", MFD_CLOEXEC);
  if (page->fd_ < 0 || ftruncate(page->fd_, kBytes) != 0) {
    return fail_errno(errno, "cannot create a doorbell page");
  }
  for (auto* mapping : {&page->driver_, &page->device_}) {
    auto* at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, page->fd_, 0);
    if (at == MAP_FAILED) return fail_errno(errno, "cannot map a doorbell page");
    *mapping = at;
  }
  return page;
}

DoorbellPage::~DoorbellPage() {
  if (driver_ != nullptr) munmap(driver_, kBytes);
  if (device_ != nullptr) munmap(device_, kBytes);
  if (fd_ >= 0) close(fd_);
}

// A register that contains 0 is empty, because a doorbell contains a queue ID, which is never 0.
std::size_t DoorbellPage::take_stores(const Ring& ring) {
  std::size_t taken = 0;
  for (const auto target : {DoorbellTarget::sq,
                            DoorbellTarget::rq,
                            DoorbellTarget::cq,
                            DoorbellTarget::sq_short,
                            DoorbellTarget::rq_short,
                            DoorbellTarget::cq_short}) {
    const auto offset = static_cast<std::uint32_t>(target);
    auto& word = static_cast<std::uint64_t*>(device_)[offset / sizeof(std::uint64_t)];
    const std::atomic_ref<std::uint64_t> slot(word);
    if (slot.load(std::memory_order_relaxed) == 0) continue;
#ifdef __SANITIZE_THREAD__
    // ThreadSanitizer tracks virtual addresses, so also load from the driver's mapping.
    auto& driver_word = static_cast<std::uint64_t*>(driver_)[offset / sizeof(std::uint64_t)];
    static_cast<void>(std::atomic_ref<std::uint64_t>(driver_word).load(std::memory_order_acquire));
#endif
    ring(offset, slot.exchange(0, std::memory_order_acquire));
    ++taken;
  }
  return taken;
}

Result<> DoorbellPage::protect() {
  if (mprotect(driver_, kBytes, PROT_READ) != 0) {
    return fail_errno(errno, "cannot protect a doorbell page");
  }
  protected_ = true;
  return {};
}

}  // namespace manactl::adapter
