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

// An entry of GRUB's menu, or a submenu.
struct MenuEntry {
  std::size_t menu = 0;  // position of the submenu that contains it, from 1; 0 if none does
  bool is_menu = false;
  std::string title, id;
  std::string release;  // of the kernel that it starts; empty if that is not installed
};

// The text in the quotes at the first of `quotes` from `at` on; empty if there are none.
std::string_view quoted_after(std::string_view line, std::size_t at) {
  const auto begin = at == std::string_view::npos ? at : line.find_first_of("'\"", at);
  if (begin == std::string_view::npos) return {};
  const auto end = line.find(line[begin], begin + 1);
  return end == std::string_view::npos ? std::string_view()
                                       : line.substr(begin + 1, end - begin - 1);
}

constexpr std::string_view kMenuEntry = "menuentry ", kSubmenu = "submenu ";
constexpr std::string_view kEntryId = "menuentry_id_option";

// The entries of grub.cfg, in their order (grub-mkconfig of GRUB).
std::vector<MenuEntry> menu_of(std::string_view text, const std::vector<std::string>& releases) {
  constexpr std::size_t kMaxDepth = 16;
  std::vector<MenuEntry> menu;
  std::vector<std::size_t> open;  // positions from 1 of the blocks around the line; 0 for others
  for (const auto untrimmed : split(text, '\n')) {
    const auto line = trim(untrimmed);
    if (line == "}" && !open.empty()) open.pop_back();
    if (line.starts_with("linux") && !open.empty() && open.back() != 0) {
      menu[open.back() - 1].release = release_in(line, releases);
    }
    if (!line.ends_with('{')) continue;
    if (open.size() == kMaxDepth) return {};
    const bool is_menu = line.starts_with(kSubmenu);
    const bool is_entry = is_menu || line.starts_with(kMenuEntry);
    if (is_entry) {
      menu.push_back({open.empty() ? 0 : open.back(),
                      is_menu,
                      std::string(quoted_after(line, 0)),
                      std::string(quoted_after(line, line.find(kEntryId))),
                      {}});
    }
    open.push_back(is_entry ? menu.size() : 0);
  }
  return menu;
}

// Whether `name`, a number from 0, a title or an id, is this entry, the one with this number.
bool names_entry(std::string_view name, const MenuEntry& entry, std::uint64_t number) {
  const auto wanted = parse_unsigned(name);
  return wanted ? *wanted == number : name == entry.title || name == entry.id;
}

// The release of the kernel that the setting "1>2", "menu>entry" or "entry" starts; empty if
// grub.cfg does not show it.
std::string release_in_menu(const os::Files& files,
                            std::string_view setting,
                            const std::vector<std::string>& releases) {
  for (const auto* path : {"boot/grub2/grub.cfg", "boot/grub/grub.cfg"}) {
    const auto menu = menu_of(files.read(path).value_or(""), releases);
    const MenuEntry* found = nullptr;
    std::size_t parent = 0;
    for (const auto name : split(setting, '>')) {
      if (found != nullptr && !found->is_menu) return {};
      found = nullptr;
      std::uint64_t number = 0;
      for (const auto& entry : menu) {
        if (entry.menu != parent) continue;
        if (names_entry(trim(name), entry, number++)) found = &entry;
        if (found != nullptr) break;
      }
      if (found == nullptr) break;
      parent = static_cast<std::size_t>(found - menu.data()) + 1;
    }
    if (found != nullptr && !found->release.empty()) return found->release;
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
  if (release.empty() && !has_entries) release = release_in_menu(files, value, releases);
  // Titles and ids contain the release.
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

std::string kept_menu(std::string_view text) {
  std::string kept;
  for (const auto untrimmed : split(text, '\n')) {
    const auto line = trim(untrimmed);
    if (line.starts_with("linux")) {
      const auto parts = words(line);
      kept += fmt::format("linux {}\n", parts.size() > 1 ? parts[1] : "");
    } else if (line == "}") {
      kept += "}\n";
    } else if (line.ends_with('{')) {
      const bool is_menu = line.starts_with(kSubmenu);
      if (is_menu || line.starts_with(kMenuEntry)) {
        kept += fmt::format("{}'{}' ${} '{}' ",
                            is_menu ? kSubmenu : kMenuEntry,
                            quoted_after(line, 0),
                            kEntryId,
                            quoted_after(line, line.find(kEntryId)));
      }
      kept += "{\n";
    }
  }
  return kept;
}

}  // namespace manactl::host
