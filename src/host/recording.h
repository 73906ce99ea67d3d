// SPDX-License-Identifier: MIT
//
// Records every file and kernel reply that is read through an os::System, so that a bundle can
// replay them.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/tarball.h"
#include "os/system.h"

namespace manactl::host {

class SystemRecorder {
 public:
  virtual ~SystemRecorder() = default;

  // Returns a system that forwards and records every call. The recorder must outlive it.
  virtual os::System system() = 0;

  // The recorded files, links and manactl/*.json.
  virtual TreeEntries tree() const = 0;

  // From the path of a file in tree() to the path that was used to read it, which may contain
  // symbolic links.
  virtual std::map<std::string, std::string> read_paths() const = 0;

  // Files that name this machine and its users, by path: "etc/hosts". They are not in tree().
  virtual std::map<std::string, std::string> identity_files() const = 0;
};

// `real` must outlive the recorder.
std::unique_ptr<SystemRecorder> start_recording(const os::System& real);

}  // namespace manactl::host
