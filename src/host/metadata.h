// SPDX-License-Identifier: MIT
//
// Asks Azure's instance metadata service about this VM, and keeps the answer in bundles. Source:
// "Azure Instance Metadata Service" and "Scheduled Events for Linux VMs" of Microsoft's documents.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/facts.h"
#include "host/http.h"
#include "os/files.h"

namespace manactl::host {

inline constexpr const char* kMetadataAddress = "169.254.169.254";
inline constexpr const char* kMetadataFile = "manactl/metadata.json";

// An IPv4 address with an optional port: "127.0.0.1:8080".
Result<std::string> parse_metadata_address(std::string_view text);

// Sends two requests. A failure of the first one is an error, one of the second is in
// InstanceMetadata::events.
Result<InstanceMetadata> ask_metadata_service(
    const std::string& address, const std::vector<std::string>& libraries = kCurlLibraries);

// The text of kMetadataFile: only the members of InstanceMetadata, or an error.
std::string metadata_json(const Result<InstanceMetadata>& metadata);

// Reads kMetadataFile of a captured system; empty if it does not exist.
std::optional<Result<InstanceMetadata>> recorded_metadata(const os::Files& files);

}  // namespace manactl::host
