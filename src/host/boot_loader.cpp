// SPDX-License-Identifier: MIT

#include "host/boot_loader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/characters.h"
#include "base/quotes.h"
#include "base/text.h"

namespace manactl::host {
namespace {

constexpr const char* kEntries = "boot/loader/entries";

// A value and the file that sets it.
struct BootSetting {
  std::string path, key, value;

  std::string text() const {
    return fmt::format("/{} has {}={}", printable(path), key, printable(value));
  }
};

// Returns the last line "key=value" of these files; its value may have quotes.
std::optional<BootSetting> setting_in(const os::Files& files,
                                      const std::vector<std::string>& paths,
                                      const std::string& key) {
  std::optional<BootSetting> found;
  for (const auto& path : paths) {
    const auto text = files.read(path).value_or("");
    for (const auto line : split(text, '\n')) {
      if (!line.starts_with(key + "=")) continue;
      const auto value = unquoted(trim(line.substr(key.size() + 1)));
      if (value.empty()) continue;
      found = BootSetting{path, key, std::string(value)};
    }
  }
  return found;
}

std::vector<std::string> environment_blocks() {
  return {"boot/grub2/grubenv", "boot/grub/grubenv"};
}

std::vector<std::string> default_files(const os::Files& files) {
  std::vector<std::string> paths = {"etc/default/grub"};
  constexpr const char* kDirectory = "etc/default/grub.d";
  for (const auto& name : files.list(kDirectory).value_or(std::vector<std::string>{})) {
    if (name.ends_with(".cfg")) paths.push_back(fmt::format("{}/{}", kDirectory, name));
  }
  return paths;
}

bool is_older(const std::string& a, const std::string& b) {
  return strverscmp(a.c_str(), b.c_str()) < 0;  // GRUB compares versions by sort -V
}

// The longest of the releases that the text contains, followed neither by a letter nor by a digit.
std::string release_in(std::string_view text, const std::vector<std::string>& releases) {
  std::string longest;
  for (const auto& release : releases) {
    for (auto at = text.find(release); at != std::string_view::npos;
         at = text.find(release, at + 1)) {
      const auto end = at + release.size();
      const bool ends = end == text.size() || !is_alphanumeric(text[end]);
      if (ends && release.size() > longest.size()) longest = release;
    }
  }
  return longest;
}

// The release in the line "linux /vmlinuz-..." of an entry.
std::string release_of_entry(const os::Files& files,
                             const std::string& id,
                             const std::vector<std::string>& releases) {
  const auto text = files.read(fmt::format("{}/{}.conf", kEntries, id)).value_or("");
  for (const auto line : split(text, '\n')) {
    if (line.starts_with("linux")) return release_in(line, releases);
  }
  return {};
}

std::vector<std::string> with_images(const os::Files& files, std::vector<std::string> releases) {
  auto startable = releases;
  std::erase_if(startable, [&](const std::string& release) {
    return !exists(files, "boot/vmlinuz-" + release);
  });
  return startable.empty() ? releases : startable;
}

Result<NextKernel> newest(const std::vector<std::string>& releases) {
  if (releases.empty()) return fail(Errc::not_found, "no kernel is installed");
  return NextKernel{*std::ranges::max_element(releases, is_older),
                    "the boot loader starts the newest kernel"};
}

}  // namespace

Result<NextKernel> next_kernel(const os::Files& files, const std::vector<std::string>& releases) {
  const auto entries = files.list(kEntries).value_or(std::vector<std::string>{});
  const bool has_entries =
      std::ranges::any_of(entries, [](const std::string& name) { return name.ends_with(".conf"); });
  auto setting = setting_in(files, environment_blocks(), "next_entry");
  if (!setting) {
    setting = setting_in(files, default_files(files), "GRUB_DEFAULT");
    const bool is_saved = has_entries || (setting && setting->value == "saved");
    if (is_saved) setting = setting_in(files, environment_blocks(), "saved_entry");
  }
  const auto startable = with_images(files, releases);
  if (!setting || setting->value == "0") return newest(startable);
  const auto& value = setting->value;
  auto release = has_entries ? release_of_entry(files, value, releases) : "";
  // An entry in a submenu is "menu>entry". Menus have no releases in their names.
  if (release.empty()) release = release_in(value, releases);
  if (!release.empty()) return NextKernel{release, setting->text()};
  return fail(Errc::invalid,
              fmt::format("the next kernel is unknown: {}, which names no installed kernel",
                          setting->text()));
}

std::string kept_boot_settings(std::string_view text) {
  constexpr std::array<std::string_view, 4> kKept = {
      "GRUB_DEFAULT=", "saved_entry=", "next_entry=", "linux"};
  std::string kept;
  for (const auto line : split(text, '\n')) {
    const bool is_kept =
        std::ranges::any_of(kKept, [&](std::string_view start) { return line.starts_with(start); });
    if (is_kept) kept += fmt::format("{}\n", line);
  }
  return kept;
}

}  // namespace manactl::host
