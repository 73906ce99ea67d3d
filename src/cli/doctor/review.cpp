// SPDX-License-Identifier: MIT

#include "cli/doctor/review.h"

#include <unistd.h>

#include <iostream>
#include <map>
#include <vector>

#include "base/text.h"

namespace manactl::cli {
namespace {

using Kind = host::TreeEntry::Kind;

// printable() writes up to four bytes for one: "\\xff".
std::string all_printable(std::string_view text) {
  return printable(text, 4 * text.size());
}

// A file of a bundle may have any bytes, such as the type information of the kernel.
void print_file(std::ostream& out, const std::string& path, std::string_view text) {
  out << "==> " << all_printable(path) << " <==\n";
  if (text.find('\0') != std::string_view::npos) {
    out << "[" << text.size() << " bytes of binary data]\n\n";
    return;
  }
  while (!text.empty()) {  // split() would need 16 bytes per line
    const auto end = std::min(text.find('\n'), text.size());
    out << all_printable(text.substr(0, end)) << '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out << '\n';
}

bool is_confirmed(Context& context, const std::string& path) {
  auto& err = context.err.stream();
  err << "Write this bundle to '" << all_printable(path) << "'? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

void print_replaced(Context& context, const host::BundleContents& bundle) {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : bundle.replaced)
    kinds.push_back(fmt::format("{} {}", count, kind));
  print_note(context,
             kinds.empty() ? "nothing was replaced"
                           : fmt::format("replaced values, by kind: {}", join(kinds, ", ")));
}

std::string contents_of(const host::TreeEntries& tree) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [path, entry] : tree) {
    if (entry.kind == Kind::file) ++counts[path.substr(0, path.find('/'))];
  }
  std::vector<std::string> parts;
  for (const auto& [directory, count] : counts) {
    parts.push_back(fmt::format("{} {}", printable(directory), count));
  }
  return join(parts, ", ");
}

bool review_bundle(Context& context, const host::BundleContents& bundle, const std::string& path) {
  std::size_t others = 0;
  for (const auto& [name, entry] : bundle.tree) {
    if (entry.kind != Kind::file || entry.text.empty()) {
      ++others;
    } else {
      print_file(context.out.stream(), name, entry.text);
    }
  }
  context.out.stream() << "[" << others << " links, directories and empty files]\n" << std::flush;
  print_replaced(context, bundle);
  // A pager, to which standard output leads, reads the keys of the terminal, too.
  const bool terminal =
      context.out.is_terminal() && context.err.is_terminal() && isatty(STDIN_FILENO) == 1;
  if (terminal) return is_confirmed(context, path);
  print_note(context, "the bundle was not written; to write it, leave out --review");
  return false;
}

void print_bundle_note(Context& context, const std::string& written, bool is_scrubbed) {
  print_note(
      context,
      written + "; " +
          (is_scrubbed ? "--scrub does not recognize names in sentences and secrets without a "
                         "usual form; look at the bundle with --review before you publish it"
                       : "the bundle contains addresses, host names and log text as they are; "
                         "--scrub replaces them"));
}

}  // namespace manactl::cli
