// SPDX-License-Identifier: MIT

#include "device/pci_proxy/qtest.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/text.h"
#include "device/listener.h"

namespace manactl::device::pci_proxy {
namespace {

constexpr std::string_view kSuccess = "OK";
constexpr std::size_t kMaxResponse = 200;

}  // namespace

Result<> Qtest::connect(const std::string& path) {
  disconnect();
  auto connected = connect_to(path, SOCK_STREAM);
  if (connected) {
    socket_ = std::move(*connected);
    return {};
  }
  if (connected.error().code == Errc::denied) return tl::unexpected<Error>(connected.error());
  return fail(
      Errc::not_found,
      fmt::format(
          "cannot connect to QEMU at '{0}': start it with -qtest unix:{0},server=on,wait=off",
          printable(path)));
}

void Qtest::disconnect() {
  socket_ = Descriptor();
  line_.clear();
}

// A command of this length is sent completely or not at all.
bool Qtest::write(std::uint64_t address, std::uint32_t value) {
  const auto command = fmt::format("writel {:#x} {:#x}\n", address, value);
  const auto sent =
      ::send(socket_.get(), command.data(), command.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent == static_cast<ssize_t>(command.size());
}

Result<bool> Qtest::read_responses() {
  std::array<char, 4096> bytes{};
  const auto got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;
  line_.append(bytes.data(), static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (auto end = line_.find('\n'); end != std::string::npos; end = line_.find('\n', begin)) {
    const auto response = std::string_view(line_).substr(begin, end - begin);
    if (response != kSuccess) {
      return fail(Errc::io,
                  fmt::format("QEMU has rejected an interrupt: '{}'", printable(response)));
    }
    begin = end + 1;
  }
  line_.erase(0, begin);
  if (line_.size() <= kMaxResponse) return true;
  return fail(Errc::invalid, "the -qtest socket of QEMU has sent a line that is too long");
}

}  // namespace manactl::device::pci_proxy
