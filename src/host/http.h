// SPDX-License-Identifier: MIT
//
// Gets a small document over HTTP without encryption, from a service of the host. libcurl is loaded
// on first use.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace manactl::host {

// The names of libcurl: that of most distributions, and Debian's build with GnuTLS.
inline const std::vector<std::string> kCurlLibraries = {"libcurl.so.4", "libcurl-gnutls.so.4"};

struct HttpRequest {
  std::string url;     // "http://..."
  std::string header;  // "Metadata: true"
};

// Waits for one second at most. Uses no proxy and follows no redirection. Errc::not_found if
// libcurl is not installed, Errc::timeout after the second, Errc::invalid for a status other than
// 200 and for more than 256 KiB, Errc::io if the connection fails.
Result<std::string> http_get(const HttpRequest& request,
                             const std::vector<std::string>& libraries = kCurlLibraries);

}  // namespace manactl::host
