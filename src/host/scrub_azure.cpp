// SPDX-License-Identifier: MIT

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "host/scrub_domains.h"
#include "host/scrub_lines.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxPath = 1000;  // bytes of an id of the Resource Manager

// "/resourceGroups/GROUP/providers/Microsoft.Compute/virtualMachines/VM": after a provider, types
// and names alternate.
void learn_path(std::string_view rest, NameReplacer& names) {
  constexpr std::string_view kEnds = " \t\"',;)]}?&<>|\\";
  rest = rest.substr(0, rest.substr(0, kMaxPath).find_first_of(kEnds));
  const auto parts = split(rest, '/');
  names.add(NameReplacer::kName, parts.front());
  for (std::size_t i = 1; i + 3 < parts.size(); ++i) {
    if (lower(parts[i]) != "providers") continue;
    for (auto at = i + 3; at < parts.size() && lower(parts[at - 1]) != "providers"; at += 2)
      names.add(NameReplacer::kName, parts[at]);
  }
}

// Secrets, keys and images: "https://vault1.vault.azure.net/secrets/NAME/VERSION"
void learn_vault_path(std::string_view rest, NameReplacer& names) {
  constexpr std::string_view kFolders[] = {"/secrets/", "/keys/", "/certificates/"};
  for (const auto folder : kFolders) {
    if (rest.starts_with(folder))
      names.add(NameReplacer::kName, name_at(rest.substr(folder.size())));
  }
}

// Paths of blobs and images: "store1.blob.core.windows.net/CONTAINER/BLOB". Their words are often
// usual ones such as "logs". The whole path is a name, and so is each component with a digit or a
// dash.
void learn_stored_path(std::string_view host, std::string_view rest, NameReplacer& names) {
  static constexpr std::string_view kDomains[] = {".core.windows.net", ".azurecr.io"};
  const auto word = lower(host);
  const bool stored = std::any_of(std::begin(kDomains), std::end(kDomains), [&](auto domain) {
    return word.ends_with(domain);
  });
  if (!stored || !rest.starts_with('/')) return;
  const auto path =
      rest.substr(0, rest.substr(0, kMaxNameLength).find_first_of(" \t\"',;?:@&)]}<>|\\"));
  names.add_whole(NameReplacer::kName, std::string(host).append(path));
  for (const auto part : split(path, '/')) {
    const bool strange = part.find_first_of("0123456789-") != std::string_view::npos;
    if (strange) names.add(NameReplacer::kName, name_at(part));
  }
}

void learn_domains(const LogLine& line, NameReplacer& names) {
  for (const std::string_view part : {".azure",
                                      ".windows.net",
                                      ".azmk8s.io",
                                      ".onmicrosoft.com",
                                      ".cloudapp.",
                                      ".trafficmanager.net"}) {
    for (auto at = line.find(part); at != std::string_view::npos; at = line.find(part, at + 1)) {
      const auto start = at - last_name(line.text.substr(0, at)).size();
      const auto name = name_at(line.text.substr(start));
      const auto host = name.substr(name.rfind('@') + 1);
      if (azure_resource(host).empty()) continue;
      names.add(NameReplacer::kHost, azure_resource(host));
      names.add(NameReplacer::kHost, host);
      learn_vault_path(line.text.substr(start + name.size()), names);
      learn_stored_path(host, line.text.substr(start + name.size()), names);
    }
  }
}

// Adds a name, but not a placeholder of a manual such as "GROUP".
void add_argument(std::string_view rest, NameReplacer& names) {
  const auto name = name_at(rest);
  const bool placeholder =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!placeholder) names.add(NameReplacer::kName, name);
}

// `az vm show --resource-group GROUP --name VM` and its short options
void learn_options(const LogLine& line, NameReplacer& names) {
  for (const std::string_view option : {"--resource-group",
                                        "--account-name",
                                        "--vault-name",
                                        "--vm-name",
                                        "--nic-name",
                                        "--registry",
                                        "--subscription"}) {
    after_each(line, option, [&](std::string_view rest) {
      if (rest.starts_with(' ') || rest.starts_with('=')) add_argument(rest.substr(1), names);
    });
  }
  if (!line.mentions("az ")) return;
  for (const std::string_view option : {" -g ", " -n ", " --name "}) {
    after_each(line, option, [&](std::string_view rest) { add_argument(rest, names); });
  }
}

}  // namespace

void learn_resources(const LogLine& line, NameReplacer& names) {
  after_each(line, "/resourcegroups/", [&](std::string_view rest) { learn_path(rest, names); });
  learn_domains(line, names);
  learn_options(line, names);
}

}  // namespace manactl::host
