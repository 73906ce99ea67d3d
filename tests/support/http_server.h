// SPDX-License-Identifier: MIT
//
// A server on the loopback interface that sends prepared bytes for each path.

#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace manactl::test {

// "HTTP/1.1 200 OK" and the text.
inline std::string http_reply(const std::string& text, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\nConnection: close\r\n\r\n" + text;
}

class HttpServer {
 public:
  // The raw replies by the path of the request, without its parameters. A path without a reply gets
  // none, and the connection stays open.
  explicit HttpServer(std::map<std::string, std::string> replies)
      : replies_(std::move(replies)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&name);
    socklen_t size = sizeof name;
    if (bind(listener_, generic, size) != 0 || listen(listener_, 8) != 0 ||
        getsockname(listener_, generic, &size) != 0) {
      throw std::runtime_error("cannot listen on the loopback interface");
    }
    address_ = "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
    thread_ = std::thread([this] { serve(); });
  }

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  ~HttpServer() { stop(); }

  // Ends the server. Later connections are refused.
  void stop() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    for (const int connection : connections_) close(connection);
    close(listener_);
  }

  const std::string& address() const { return address_; }

  // All requests so far; only after stop().
  const std::string& requests() const { return requests_; }

 private:
  void serve() {
    while (!stopping_) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      connections_.push_back(connection);
      answer(connection);
    }
  }

  void answer(int connection) {
    std::string request;
    char block[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const auto count = recv(connection, block, sizeof block, 0);
      if (count <= 0) return;
      request.append(block, static_cast<std::size_t>(count));
    }
    requests_ += request;
    const auto begin = request.find(' ') + 1;
    const auto path = request.substr(begin, request.find_first_of(" ?", begin) - begin);
    const auto reply = replies_.find(path);
    if (reply == replies_.end()) return;
    for (std::string_view rest = reply->second; !rest.empty();) {
      const auto sent = send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    shutdown(connection, SHUT_WR);
  }

  std::map<std::string, std::string> replies_;
  int listener_;
  std::string address_, requests_;
  std::vector<int> connections_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

inline constexpr const char* kComputePath = "/metadata/instance/compute";
inline constexpr const char* kEventsPath = "/metadata/scheduledevents";

}  // namespace manactl::test
