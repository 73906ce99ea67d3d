// SPDX-License-Identifier: MIT
//
// The files that bench writes or deletes: the file of --until-deleted, the saved result, and
// sockets.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/bench/stop_file.h"

namespace manactl::cli {

class BenchFiles {
 public:
  virtual ~BenchFiles() = default;

  // The id of the result that this run saves. It is chosen before root gives up its privileges, so
  // that the process that measures cannot choose it.
  const std::string& id() const { return id_; }

  // As StopFile::was_deleted(); false without --until-deleted.
  virtual Result<bool> was_deleted() = 0;

  // Fails if this run saves nothing.
  virtual Result<> save(const std::string& text) = 0;

 protected:
  explicit BenchFiles(std::string id) : id_(std::move(id)) {}

 private:
  std::string id_;
};

// Writes a result, as ResultStore::save() does. Empty if this run saves nothing.
using SaveResult = std::function<Result<>(const std::string& id, const std::string& text)>;

// Writes the files in this process. `stop_file` may be null.
std::unique_ptr<BenchFiles> local_files(std::unique_ptr<StopFile> stop_file, SaveResult save);

// Starts a process that writes the files, with the privileges that this process gives up later. It
// accepts one result, of at most 64 MiB, and ends when the returned object is destroyed or when
// this process ends; it then also deletes those of `sockets` that did not exist before. Call it
// before the first thread starts.
Result<std::unique_ptr<BenchFiles>> start_files_process(std::unique_ptr<StopFile> stop_file,
                                                        SaveResult save,
                                                        const std::vector<std::string>& sockets);

}  // namespace manactl::cli
