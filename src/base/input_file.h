// SPDX-License-Identifier: MIT
//
// Opens files and directories that the user names as input. manactl runs as root, so another user
// must not choose what is read, and devices are rejected without being opened.

#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace manactl {

// Opens a regular file or a directory with O_PATH. A symbolic link in any component is followed
// only if it belongs to root or the effective user, and is_trusted_directory() holds for its
// directory. Errc::invalid for any other link, and if `path` does not exist or is a device, pipe or
// socket. The message uses `what` to name the expected input, such as "a log".
Result<Descriptor> find_input(const std::string& path, std::string_view what);

// Opens a regular file to be read, with the checks of find_input(). Also opens /dev/fd/N and
// /proc/self/fd/N, if descriptor N is a file, a pipe or a socket, as in a shell's <(command).
Result<Descriptor> open_input_file(const std::string& path, std::string_view what);

}  // namespace manactl
