// SPDX-License-Identifier: MIT
//
// A Unix socket in the file system that waits for connections.

#pragma once

#include <sys/stat.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace manactl::device {

// Removes the socket from the file system at the end, unless another process has replaced it.
class Listener {
 public:
  // Only root and this user may connect, and only they may control the directory; a sticky
  // directory such as /tmp may be used. Replaces a socket that no process uses any more, but
  // nothing else.
  // The directory must be writable: for a moment, the socket has the name PATH.THREAD-ID.
  // `type` is the type of socket, such as SOCK_STREAM.
  static Result<Listener> open(const std::string& path, int type);

  Listener(Listener&& other) noexcept
      : socket_(std::move(other.socket_)),
        path_(std::exchange(other.path_, {})),
        device_(other.device_),
        inode_(other.inode_),
        accept_error_(other.accept_error_),
        retry_at_(other.retry_at_) {}

  Listener& operator=(Listener&&) = delete;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  // -1 while is_paused().
  int fd() const { return is_paused() ? -1 : socket_.get(); }

  // True for 100 ms after accept() has failed with accept_error(). The connection still waits, so
  // the socket stays readable.
  bool is_paused() const { return Clock::now() < retry_at_; }

  // The errno of the last accept() if it lacked a resource, such as a free descriptor; otherwise 0.
  int accept_error() const { return accept_error_; }

  // False if another process has removed or replaced the socket, so that nobody can connect.
  bool is_in_place() const;

  // A Descriptor without a number if no connection is waiting, or if its other end belongs to
  // another user. The connection does not block.
  Descriptor accept();

 private:
  using Clock = std::chrono::steady_clock;

  Listener() = default;

  Descriptor socket_;
  std::string path_;
  dev_t device_ = 0;  // with inode_, identifies the socket in the file system
  ino_t inode_ = 0;
  int accept_error_ = 0;
  Clock::time_point retry_at_;
};

// Connects to a listener without waiting. Fails with Errc::denied if another user controls the
// socket, its directory or the process that listens.
Result<Descriptor> connect_to(const std::string& path, int type);

}  // namespace manactl::device
