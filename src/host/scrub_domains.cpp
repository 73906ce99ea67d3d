// SPDX-License-Identifier: MIT

#include "host/scrub_domains.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "host/scrub_text.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

// Top-level domains that are also used with two labels. Extensions of files, such as "sh" and
// "so", are not in these lists, although they are top-level domains.
constexpr std::string_view kDomains[] = {
    "com", "org", "edu", "gov", "example", "local", "lan", "internal", "corp", "intranet", "test"};

// Top-level domains of names with three or more labels. Shorter ones may be fields of a program.
constexpr std::string_view kLongDomains[] = {
    "net", "io", "int", "mil", "info", "biz", "cloud", "home", "arpa", "de", "uk", "fr",
    "nl",  "eu", "us",  "ca",  "jp",   "cn",  "br",    "se",   "no",   "ch", "at", "be",
    "it",  "es", "dk",  "fi",  "cz",   "au",  "nz",    "kr",   "ru",   "ie", "sg", "hk",
    "tw",  "za", "mx",  "tr",  "il",   "ae",  "ro",    "hu",   "gr",   "pt", "ua"};

constexpr std::string_view kPublicDomains[] = {"microsoft.com",
                                               "azure.com",
                                               "kernel.org",
                                               "dpdk.org",
                                               "github.com",
                                               "ubuntu.com",
                                               "debian.org",
                                               "redhat.com",
                                               "centos.org",
                                               "fedoraproject.org",
                                               "suse.com",
                                               "opensuse.org",
                                               "canonical.com",
                                               "freedesktop.org",
                                               "openssh.com",
                                               "libssh.org",
                                               "gnu.org",
                                               "linux.org",
                                               "microsoftonline.com",
                                               "githubusercontent.com",
                                               "almalinux.org",
                                               "rockylinux.org"};

// Domains of Azure in which the first label is a resource. Sources: "Azure Private Endpoint private
// DNS zone values" and "Azure domains" on learn.microsoft.com.
constexpr std::string_view kAzureDomains[] = {".azure.net",
                                              ".windows.net",
                                              ".azurecr.io",
                                              ".azmk8s.io",
                                              ".cloudapp.net",
                                              ".cloudapp.azure.com",
                                              ".azurewebsites.net",
                                              ".azure-api.net",
                                              ".azurefd.net",
                                              ".azureedge.net",
                                              ".trafficmanager.net",
                                              ".azuredatabricks.net",
                                              ".azure-devices.net",
                                              ".documents.azure.com",
                                              ".database.azure.com",
                                              ".openai.azure.com",
                                              ".redis.azure.net"};

bool is_label(std::string_view label) {
  return !label.empty() && label.find_first_of("_$@+") == std::string_view::npos;
}

}  // namespace

Authority authority_of(std::string_view rest) {
  rest = rest.substr(0, rest.substr(0, kMaxNameLength).find_first_of("/ \n\"'"));
  const auto at = rest.rfind('@');  // a password may contain '@'
  if (at == std::string_view::npos) return {{}, {}, rest};
  const auto account = rest.substr(0, at);
  const auto colon = account.find(':');
  const auto password =
      colon == std::string_view::npos ? std::string_view() : account.substr(colon + 1);
  return {account.substr(0, colon), password, rest.substr(at + 1)};
}

bool is_public_name(std::string_view name) {
  if (!azure_resource(name).empty()) return false;
  const auto word = lower(name);
  return std::any_of(std::begin(kPublicDomains), std::end(kPublicDomains), [&](auto domain) {
    return word == domain ||
           (word.ends_with(domain) && word[word.size() - domain.size() - 1] == '.');
  });
}

bool is_top_level(std::string_view label) {
  const auto word = lower(label);
  return contains(kDomains, word) || contains(kLongDomains, word);
}

bool is_full_name(std::string_view name) {
  if (name.empty() || !is_alphanumeric(name.back()) || is_digit(name.back())) return false;
  const auto word = lower(name);
  const auto labels = split(word, '.');
  if (labels.size() < 2 || !std::all_of(labels.begin(), labels.end(), is_label)) return false;
  const bool known = contains(kDomains, labels.back()) ||
                     (labels.size() > 2 && contains(kLongDomains, labels.back()));
  const bool number = std::all_of(
      labels.begin(), labels.end() - 1, [](std::string_view label) { return is_number(label); });
  const bool logger = labels.front() == "pmd";  // "pmd.net.ena.com" of DPDK
  return known && !number && !logger && !is_public_name(word);
}

std::string_view azure_resource(std::string_view name) {
  const auto word = lower(name);
  constexpr std::string_view kTenants = ".onmicrosoft.com";
  if (word.ends_with(kTenants)) {
    const auto rest = name.substr(0, name.size() - kTenants.size());
    return rest.substr(rest.rfind('.') + 1);
  }
  const bool azure =
      std::any_of(std::begin(kAzureDomains), std::end(kAzureDomains), [&](auto domain) {
        return word.size() > domain.size() && word.ends_with(domain);
      });
  return azure ? name.substr(0, name.find('.')) : std::string_view();
}

}  // namespace manactl::host
