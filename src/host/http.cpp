// SPDX-License-Identifier: MIT

#include "host/http.h"

#include <curl/curl.h>

#include <memory>
#include <utility>

#include "base/shared_library.h"
#include "base/text.h"

namespace manactl::host {
namespace {

constexpr long kMaxMilliseconds = 1000;
constexpr std::size_t kMaxReply = 256U << 10U;
constexpr long kStatusOk = 200;

// The functions of libcurl that get one document.
struct Curl {
  decltype(&curl_easy_init) init;
  decltype(&curl_easy_setopt) setopt;
  decltype(&curl_easy_perform) perform;
  decltype(&curl_easy_getinfo) getinfo;
  decltype(&curl_easy_strerror) strerror;
  decltype(&curl_easy_cleanup) cleanup;
  decltype(&curl_slist_append) append;
  decltype(&curl_slist_free_all) free_list;
};

Result<Curl> load_curl(const std::vector<std::string>& libraries) {
  Result<SharedLibrary> opened = fail(Errc::not_found, "libcurl has no name");
  for (const auto& name : libraries) {
    opened = SharedLibrary::open(name);
    if (opened) break;
  }
  if (!opened) return because(opened.error(), "--imds needs libcurl");
  Curl curl{};
  FunctionBinder bind(*opened);
  bind("curl_easy_init", curl.init);
  bind("curl_easy_setopt", curl.setopt);
  bind("curl_easy_perform", curl.perform);
  bind("curl_easy_getinfo", curl.getinfo);
  bind("curl_easy_strerror", curl.strerror);
  bind("curl_easy_cleanup", curl.cleanup);
  bind("curl_slist_append", curl.append);
  bind("curl_slist_free_all", curl.free_list);
  if (bind.problem()) return tl::unexpected<Error>(*bind.problem());
  return curl;
}

// curl_write_callback: any number but `count` ends the transfer with CURLE_WRITE_ERROR.
std::size_t append_reply(char* data, std::size_t /*always_1*/, std::size_t count, void* reply) {
  auto& text = *static_cast<std::string*>(reply);
  if (text.size() + count > kMaxReply) return 0;
  text.append(data, count);
  return count;
}

Error error_of(CURLcode code, const Curl& curl) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {Errc::timeout, 0, "no complete reply within 1 s"};
    case CURLE_WRITE_ERROR:
      return {Errc::invalid, 0, fmt::format("the reply exceeds {}", human_bytes(kMaxReply))};
    default:
      return {Errc::io, 0, printable(curl.strerror(code))};
  }
}

}  // namespace

Result<std::string> http_get(const HttpRequest& request,
                             const std::vector<std::string>& libraries) {
  const auto curl = load_curl(libraries);
  if (!curl) return tl::unexpected<Error>(curl.error());
  const std::unique_ptr<CURL, decltype(curl->cleanup)> handle(curl->init(), curl->cleanup);
  const std::unique_ptr<curl_slist, decltype(curl->free_list)> headers(
      curl->append(nullptr, request.header.c_str()), curl->free_list);
  if (!handle || !headers) return fail(Errc::io, "libcurl cannot allocate a request");
  std::string reply;
  bool is_set = true;
  const auto set = [&](CURLoption option, auto value) {
    is_set = is_set && curl->setopt(handle.get(), option, value) == CURLE_OK;
  };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_PROXY, "");  // otherwise from environment variables
  set(CURLOPT_NOPROXY, "*");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, kMaxMilliseconds);
  set(CURLOPT_TIMEOUT_MS, kMaxMilliseconds);
  set(CURLOPT_WRITEFUNCTION, &append_reply);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&reply));
  if (!is_set) return fail(Errc::unsupported, "libcurl lacks an option");
  const auto code = curl->perform(handle.get());
  if (code != CURLE_OK) return tl::unexpected<Error>(error_of(code, *curl));
  long status = 0;
  curl->getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status != kStatusOk) return fail(Errc::invalid, fmt::format("the status is {}", status));
  return reply;
}

}  // namespace manactl::host
