// SPDX-License-Identifier: MIT

#include "cli/bench/memif_socket.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/trusted_directory.h"

namespace manactl::cli {
namespace {

// The values of an argument, which may be given more than once.
std::vector<std::string> values_of(const std::vector<std::string_view>& arguments,
                                   std::string_view key) {
  std::vector<std::string> values;
  for (const auto argument : arguments) {
    const auto equals = std::min(argument.find('='), argument.size());
    if (argument.substr(0, equals) != key) continue;
    values.emplace_back(argument.substr(std::min(equals + 1, argument.size())));
  }
  return values;
}

// Fails unless the directory belongs to the effective user, and no other user can enter it.
Result<> check_private(const std::string& directory) {
  const auto opened = TrustedDirectory::open(directory, Trust::exclusive);
  if (!opened && opened.error().code != Errc::denied) {
    return tl::unexpected<Error>(opened.error());
  }

  struct stat status{};

  if (opened && fstat(opened->get(), &status) != 0) {
    return fail_errno(errno, fmt::format("cannot examine '{}'", printable(directory)));
  }
  const bool is_private = (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  if (opened && is_private && status.st_uid == geteuid()) return {};
  return fail(Errc::denied,
              fmt::format("other users can enter '{}': use a directory of yours with mode 700",
                          printable(directory)));
}

}  // namespace

Result<> refuse_open_memif(const std::string& device) {
  const auto arguments = split(device, ',');
  if (!arguments.front().starts_with("net_memif")) return {};
  // Without this argument, DPDK uses an abstract socket, which has no permissions.
  const auto abstract = values_of(arguments, "socket-abstract");
  const auto sockets = values_of(arguments, "socket");
  const bool is_file = std::ranges::all_of(abstract, [](auto& value) { return value == "no"; });
  if (abstract.empty() || !is_file || sockets.size() != 1) {
    return fail(
        Errc::denied,
        fmt::format("every user could connect to '{}' and change the memory of this process: "
                    "add socket-abstract=no,socket=FILE, with a FILE in a directory that only "
                    "you can enter",
                    printable(device)));
  }
  const auto file = split_file_path(sockets.front());
  if (!file) return tl::unexpected<Error>(file.error());
  const auto checked = check_private(file->directory);
  if (checked) return {};
  return because(checked.error(), fmt::format("'{}'", printable(device)));
}

}  // namespace manactl::cli
