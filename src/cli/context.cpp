// SPDX-License-Identifier: MIT

#include "cli/context.h"

#include <nlohmann/json.hpp>

#include "base/budget.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/command_hints.h"
#include "cli/version.h"

namespace manactl::cli {

void confine(const Context& context) {
  limit_memory();
  auto sandbox = context.sandbox;
  if (!context.root.empty()) sandbox.read.push_back(context.root);
  os::enter_sandbox(sandbox);
}

Result<> become_nobody() {
  return os::become_nobody();
}

void print_note(Context& context, std::string_view text) {
  if (context.quiet) return;
  write_message(context.err, Color::none, "manactl:", CommandHints(context).complete(text));
}

Exit print_error(Context& context, const Error& error, std::string_view hint) {
  constexpr std::size_t kMaxMessage = 2000;
  const CommandHints hints(context);
  write_message(
      context.err, Color::red, "manactl:", printable(hints.complete(error.message), kMaxMessage));
  if (!hint.empty()) context.err.stream() << hints.complete(hint) << '\n';
  return exit_of(error);
}

Exit report_error(Context& context, const Error& error, std::string_view hint) {
  return report_error(context, exit_of(error), error, hint);
}

Exit report_error(Context& context, Exit exit, const Error& error, std::string_view hint) {
  print_error(context, error, hint);
  context.failed = true;
  if (!context.json) return exit;
  nlohmann::ordered_json document;
  document["schema"] = "manactl.error/1";
  document["manactl"] = version();
  document["exit"] = static_cast<int>(exit);
  document["message"] = safe(CommandHints(context).complete(error.message));
  document["hint"] = nullptr;
  std::vector<std::string> lines;
  for (const auto line : split(hint, '\n')) {
    lines.push_back(safe(CommandHints(context).complete(line)));
  }
  if (!hint.empty()) document["hint"] = join(lines, "\n");
  context.out.stream() << document.dump(2) << '\n';
  return exit;
}

Exit report_usage_error(Context& context, std::string message) {
  return report_error(context, Error{Errc::invalid, 0, std::move(message)});
}

}  // namespace manactl::cli
