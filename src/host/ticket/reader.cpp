// SPDX-License-Identifier: MIT

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "host/ticket/formats.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxTicketLine = 4096;  // bytes; outputs have no longer lines
constexpr std::size_t kMaxPromptText = 100;
constexpr std::size_t kMaxOutputs = 50;  // names in Ticket::outputs

const std::vector<TicketFormat>& all_formats() {
  static const auto formats = [] {
    std::vector<TicketFormat> all;
    for (const auto& group :
         {link_formats(), function_formats(), kernel_formats(), system_formats()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return formats;
}

// Removes the marks of quotations in mail and Markdown.
std::string_view unmarked(std::string_view line) {
  line = trim(line);
  while (line.starts_with("> ") || line == ">") line = trim(line.substr(1));
  return line;
}

// The last line of the text.
std::string_view last_line(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return unmarked(text.substr(text.rfind('\n') + 1));
}

bool is_code_fence(std::string_view line) {
  return line.starts_with("```") || line.starts_with("~~~");
}

struct Prompt {
  std::string_view text;  // "vyos@gw:~"; may be empty
  std::string_view command;
};

// "[root@host ~]", "user@host:~", "user@host [ ~ ]", "host:~ ", "bash-5.1", "(venv) user@host:~"
bool is_prompt_text(std::string_view text) {
  constexpr std::size_t kMaxWords = 5;
  if (text.find_first_of("=<>\"'|;`{") != std::string_view::npos) return false;
  if (words(text).size() > kMaxWords) return false;
  const auto has = [text](std::string_view part) { return text.find(part) != text.npos; };
  return has("@") || has(":~") || has(":/") || has("bash-") || text.starts_with("sh-") ||
         trim(text).ends_with('~');
}

std::string_view host_of(std::string_view prompt) {
  const auto at = prompt.find('@');
  const auto rest = at == std::string_view::npos ? prompt : prompt.substr(at + 1);
  const auto end = rest.find_first_of(" :]");
  const bool is_named = at != std::string_view::npos || (end != rest.npos && rest[end] == ':');
  return is_named ? rest.substr(0, end) : std::string_view();
}

// Removes what may precede the program in a command: sudo, variables, and the path.
std::string_view without_wrappers(std::string_view command) {
  for (;;) {
    command = trim(command);
    const auto first = command.substr(0, command.find(' '));
    const bool is_wrapper = first == "sudo" || first == "-E" || first == "time" ||
                            (first.find('=') != first.npos && first.size() < command.size());
    if (!is_wrapper) break;
    command.remove_prefix(first.size());
  }
  const auto program = command.substr(0, command.find(' '));
  const auto slash = program.rfind('/');
  return slash == program.npos ? command : command.substr(slash + 1);
}

// The first of several commands in a line.
std::string_view first_command(std::string_view command) {
  return trim(command.substr(0, std::min(command.find(';'), command.find("&&"))));
}

// The words up to a pipe.
TicketWords words_of_command(std::string_view command) {
  auto all = words(command);
  all.erase(std::ranges::find(all, "|"), all.end());
  return all;
}

const TicketFormat* format_of(std::string_view command) {
  const auto words = words_of_command(first_command(command));
  if (words.empty()) return nullptr;
  const auto& formats = all_formats();
  const auto found = std::ranges::find_if(formats, [&words](const TicketFormat& format) {
    return format.is_command != nullptr && format.is_command(words);
  });
  return found == formats.end() ? nullptr : &*found;
}

// The format that this line shows on its own.
const TicketFormat* format_of_line(std::string_view line) {
  const auto& formats = all_formats();
  const auto found = std::ranges::find_if(formats, [line](const TicketFormat& format) {
    return format.is_first != nullptr && format.is_first(line);
  });
  return found == formats.end() ? nullptr : &*found;
}

// A line that begins with '#' may also be a comment or a heading, so it needs a known command.
std::optional<Prompt> prompt_in(std::string_view line) {
  for (auto at = line.find_first_of("$#"); at < std::min(line.size(), kMaxPromptText);
       at = line.find_first_of("$#", at + 1)) {
    if (at + 1 < line.size() && line[at + 1] != ' ') continue;
    const auto text = trim(line.substr(0, at));
    const auto command = without_wrappers(line.substr(at + 1));
    const bool is_known = line[at] == '$' ? !command.empty() : format_of(command) != nullptr;
    if (text.empty() ? is_known : is_prompt_text(text)) return Prompt{text, command};
  }
  return std::nullopt;
}

// The interface that has different MAC addresses in outputs that may be from several hosts.
std::string link_of_several_machines(const TicketStatements& statements) {
  for (const auto& key : statements.disputed()) {
    const auto all = words(key);
    if (all.size() == 3 && all[0] == "link" && all[2] == "mac") return std::string(all[1]);
  }
  return {};
}

}  // namespace

class TicketReader::State {
 public:
  void add(std::string_view line, std::uint64_t number, std::string_view before);
  void end(const Prompt* next, bool is_closed);
  Ticket finish();

  bool is_reading() const { return format_ != nullptr; }

  bool has_too_many_lines() const { return statements_.lines() > kMaxLines; }

 private:
  void begin_command(const Prompt& prompt, const TicketLine& line);
  void begin_at(const TicketFormat& format, const TicketLine& line, std::string_view before);
  bool parse(const TicketLine& line);

  TicketStatements statements_;
  TicketOutput output_;
  const TicketFormat* format_ = nullptr;  // of the output that is being read
  std::vector<std::string> outputs_;
  bool may_be_complete_ = false;  // the output is that of a single command
};

bool TicketReader::State::parse(const TicketLine& line) {
  statements_.set_place(line, output_.host);
  if (!format_->parse(line.text, output_, statements_)) return false;
  ++output_.lines;
  if (has_too_many_lines()) format_ = nullptr;
  return true;
}

void TicketReader::State::begin_command(const Prompt& prompt, const TicketLine& line) {
  format_ = format_of(prompt.command);
  output_ = {};
  output_.command = first_command(prompt.command);
  // The next command of the line may have printed lines, and a file contains redirected ones.
  may_be_complete_ = output_.command.size() == prompt.command.size() &&
                     prompt.command.find('>') == std::string_view::npos;
  output_.prompt = prompt.text;
  output_.host = host_of(prompt.text);
  output_.line = line;
}

// Begins an output at its first line, with the command of the line before it.
void TicketReader::State::begin_at(const TicketFormat& format,
                                   const TicketLine& line,
                                   std::string_view before) {
  const auto previous = last_line(before);
  const auto prompt = prompt_in(previous);
  const bool has_command = prompt && format_of(prompt->command) == &format;
  if (has_command) {
    begin_command(*prompt, {line.number - 1, std::string(previous)});
  } else {
    output_ = {};
    may_be_complete_ = false;
    output_.line = line;
    format_ = &format;
  }
  (void)parse(line);
  if (format.is_message) format_ = nullptr;
}

// An output without lines is complete only if the same prompt follows: "# lspci" may be a heading.
void TicketReader::State::end(const Prompt* next, bool is_closed) {
  if (format_ == nullptr) return;
  const bool is_followed =
      next != nullptr &&
      (output_.lines > 0 || (!output_.prompt.empty() && next->text == output_.prompt));
  const bool is_fenced = is_closed && output_.lines > 0;
  output_.is_complete = may_be_complete_ && (is_followed || is_fenced);
  const bool is_used = output_.is_complete || output_.lines > 0;
  if (is_used && format_->finish != nullptr) {
    statements_.set_place(output_.line, output_.host);
    format_->finish(output_, statements_);
  }
  if (is_used && outputs_.size() < kMaxOutputs) {
    outputs_.push_back(fmt::format("{} (line {})", format_->name, output_.line.number));
  }
  format_ = nullptr;
}

void TicketReader::State::add(std::string_view line,
                              std::uint64_t number,
                              std::string_view before) {
  if (has_too_many_lines()) return;
  if (line.size() > kMaxTicketLine) return end(nullptr, false);
  const auto text = unmarked(line);
  if (is_code_fence(text)) return end(nullptr, true);
  if (text.empty()) return;
  const TicketLine place{number, std::string(text)};
  if (const auto prompt = prompt_in(text)) {
    end(&*prompt, false);
    return begin_command(*prompt, place);
  }
  if (!line.ends_with('\n')) return end(nullptr, false);
  const auto* const first = format_of_line(text);
  const bool is_other = first != nullptr && first != format_;
  if (format_ != nullptr && !is_other && parse(place)) return;
  end(nullptr, false);
  if (first != nullptr) begin_at(*first, place, before);
}

Ticket TicketReader::State::finish() {
  end(nullptr, false);
  Ticket ticket;
  ticket.has_mana = statements_.find("mana") != nullptr;
  ticket.has_other_nic = statements_.find("other nic") != nullptr;
  ticket.is_hyperv = statements_.find("hyperv") != nullptr;
  if (has_too_many_lines()) {
    ticket.unused.push_back(fmt::format(
        "all outputs: the log has more than {} lines of them, so it is probably that of a monitor",
        kMaxLines));
  } else if (statements_.hosts().size() > 1) {
    ticket.has_several_machines = true;
    const std::vector<std::string> hosts(statements_.hosts().begin(), statements_.hosts().end());
    ticket.unused.push_back(
        fmt::format("all outputs: they are from several hosts ({})", printable(join(hosts, ", "))));
  } else if (const auto link = link_of_several_machines(statements_); !link.empty()) {
    ticket.has_several_machines = true;
    ticket.unused.push_back(fmt::format(
        "all outputs: {} has several MAC addresses, so they are probably from several machines",
        printable(link)));
  } else {
    ticket.outputs = std::move(outputs_);
  }
  add_ticket_facts(ticket.unused.empty() ? statements_ : TicketStatements(), ticket);
  return ticket;
}

// Each has at least eight bytes: shorter texts would slow down the search in every log.
std::vector<std::string> ticket_literals() {
  std::vector<std::string> literals = {"sudo lspci",
                                       "sudo lsmod",
                                       "lspci | ",
                                       "lsmod | ",
                                       "ip link ",
                                       "sudo ip ",
                                       "<LOOPBACK,",
                                       "<BROADCAST,",
                                       "ethtool -",
                                       "driver: mana",
                                       "driver: hv_",
                                       "Ethernet controller",
                                       "ibv_devi",
                                       "node GUID",
                                       "hca_id:\t",
                                       "hca_id: ",
                                       "rdma link",
                                       "/sys/class/infiniband",
                                       "rdma dev",
                                       "link mana_",
                                       "link manae_",
                                       "dpdk-devbind",
                                       "drv=mana",
                                       "HugePages_",
                                       "/nr_hugepages",
                                       "/free_hugepages",
                                       "dpkg -l ",
                                       "ii  libib",
                                       "ii  librte",
                                       "grep MANA",
                                       "grep -i mana",
                                       "os-release",
                                       "PRETTY_NAME=",
                                       "VERSION_ID=",
                                       "GNU/Linux",
                                       "Linux version ",
                                       ": [1414:00",
                                       "FATAL: Module ",
                                       "ERROR: Module ",
                                       "Size  Used by",
                                       "find /lib/modules/",
                                       "mana_init_once(): MP INIT PRIMARY",
                                       "Requested device ",
                                       "Driver cannot attach the device",
                                       "mount -t ",
                                       "hugetlbfs on ",
                                       "dpdk-pmds",
                                       "dpdk/pmds-",
                                       "CONFIG_MICROSOFT_MANA",
                                       "CONFIG_MANA_INFINIBAND"};
  for (const std::string prompt : {"$ ", "# "}) {
    for (const char* const command : {"lspci -",
                                      "lspci\n",
                                      "lspci\r",
                                      "lsmod\n",
                                      "lsmod\r",
                                      "uname -",
                                      "ip link",
                                      "ip -br",
                                      "ip -d ",
                                      "ip addr",
                                      "rpm -q"}) {
      literals.push_back(prompt + command);
    }
  }
  return literals;
}

TicketReader::TicketReader() : state_(std::make_unique<State>()) {}

TicketReader::~TicketReader() = default;

bool TicketReader::is_reading() const {
  return state_->is_reading();
}

void TicketReader::add(std::string_view line, std::uint64_t number, std::string_view before) {
  state_->add(line, number, before);
}

Ticket TicketReader::finish() {
  return state_->finish();
}

}  // namespace manactl::host
