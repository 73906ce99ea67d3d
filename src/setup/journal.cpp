// SPDX-License-Identifier: MIT

#include "setup/journal.h"

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/budget.h"
#include "base/json_fields.h"
#include "base/text.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kSuffix = ".jsonl";
constexpr std::string_view kTunePrefix = "tune-";
constexpr std::size_t kSumDigits = 16;
// The memory of a first line with 100,000 routes is about 70 MiB.
constexpr std::size_t kMaxLineMemory = std::size_t{256} << 20U;

// FNV-1a with 64 bits. It detects truncated lines and flipped bits. It need not detect forgery,
// because only root can write the files.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    sum *= 0x100000001b3U;
  }
  return sum;
}

std::string file_name(const std::string& id) {
  return id + std::string(kSuffix);
}

// Lists of addresses and routes become arrays, because the reader limits the members of an object:
// there may be a hundred thousand routes.
Json json_of(const Values& values) {
  Json json = Json::object();
  for (const auto& [key, value] : values) {
    const auto dot = key.find('.');
    if (dot == std::string::npos) {
      json[key] = value;
    } else {
      json[key.substr(0, dot)].push_back(value);
    }
  }
  return json;
}

Values values_of(const JsonFields& fields) {
  Values values;
  for (const auto& key : fields.keys()) {
    if (fields.is_text(key.c_str())) {
      values.emplace(key, fields.text(key.c_str()));
      continue;
    }
    std::size_t number = 0;
    for (auto& value : fields.texts(key.c_str())) {
      values.emplace_hint(values.end(), list_key(key, number++), std::move(value));
    }
  }
  return values;
}

Json json_of(const StepRecord& step) {
  return {{"kind", word_of(kStepKindWords, step.kind)},
          {"parameters", step.parameters},
          {"title", step.title},
          {"before", json_of(step.before)},
          {"by_hand", step.manual_commands}};
}

Json json_of(const Entry& entry) {
  Json json{{"record", "open"},
            {"version", kVersion},
            {"id", entry.id},
            {"interface", entry.interface},
            {"nic", entry.nic.fields()},
            {"boot_id", entry.boot_id},
            {"created", entry.created},
            {"confirmed", entry.confirmed},
            {"deadline", entry.deadline ? std::to_string(entry.deadline->count()) : ""},
            {"watchdog", entry.watchdog},
            {"steps", Json::array()}};
  for (const auto& step : entry.steps) json["steps"].push_back(json_of(step));
  return json;
}

StepRecord step_of(const JsonFields& fields) {
  StepRecord step;
  step.kind = value_of(kStepKindWords, fields.text("kind")).value_or(StepKind::unknown);
  step.parameters = fields.text_map("parameters");
  step.title = fields.text("title");
  step.before = values_of(fields.object("before"));
  step.manual_commands = fields.texts("by_hand");
  return step;
}

void read_open_fields(const JsonFields& fields, Entry& entry) {
  entry.interface = fields.text("interface");
  if (auto nic = NicIdentity::from_fields(fields.text_map("nic"))) {
    entry.nic = std::move(*nic);
  } else {
    fields.refuse("nic", nic.error().message);
  }
  entry.boot_id = fields.text("boot_id");
  entry.created = fields.text("created");
  entry.confirmed = fields.flag("confirmed");
  if (const auto deadline = parse_unsigned(fields.text("deadline"), INT64_MAX)) {
    entry.deadline = std::chrono::milliseconds(*deadline);
  }
  entry.watchdog = fields.text_or_empty("watchdog");
  for (const auto& step : fields.objects("steps")) entry.steps.push_back(step_of(step));
}

void read_open_line(const std::string& line, Entry& entry) {
  Budget budget("the journal entry", kMaxLineMemory);
  JsonDocument document(line, &budget);
  const auto fields = document.root();
  if (fields.text("record") != "open") {
    entry.read_error = "its first line does not open an entry";
  } else if (fields.number("version") != kVersion) {
    entry.read_error = "another version of manactl wrote it: use that version to restore it";
  } else if (fields.text("id") != entry.id) {
    entry.read_error = "its id differs from its file name";
  } else {
    read_open_fields(fields, entry);
    if (!document.error().empty()) entry.read_error = printable(document.error());
  }
}

// Reads a text for each of some steps: {"3": "text"}.
void read_step_texts(const JsonFields& fields,
                     const char* name,
                     std::string StepRecord::* target,
                     Entry& entry) {
  for (const auto& [step, text] : fields.text_map(name)) {
    const auto number = parse_unsigned(step);
    if (number && *number < entry.steps.size()) entry.steps[*number].*target = text;
  }
}

Json step_texts(const Entry& entry, std::string StepRecord::* source) {
  Json texts = Json::object();
  for (std::size_t number = 0; number < entry.steps.size(); ++number) {
    const auto& text = entry.steps[number].*source;
    if (!text.empty()) texts[std::to_string(number)] = text;
  }
  return texts;
}

// Ignores kinds of records that only a later version knows.
void read_progress_line(const std::string& line, Entry& entry) {
  JsonDocument document(line);
  const auto fields = document.root();
  const std::string record = fields.text("record");
  if (record == "ready") entry.ready = true;
  if (record == "confirmed") entry.confirmed = true;
  if (record == "restoring") entry.ready = false;
  if (record == "reverted") {
    for (const auto number : fields.numbers("steps")) {
      if (number < entry.steps.size()) entry.steps[number].reverted = true;
    }
    read_step_texts(fields, "written_to", &StepRecord::written_to, entry);
    if (fields.has("kept")) read_step_texts(fields, "kept", &StepRecord::kept_settings, entry);
  }
  if (record == "boot-files") {
    entry.boot_files.clear();
    for (const auto& file : fields.objects("files")) {
      entry.boot_files.push_back({file.text("directory"), file.text("name"), file.text("text")});
    }
  }
  if (record == "begin" || record == "done") {
    const auto number = fields.number("step");
    if (number < entry.steps.size() && document.error().empty()) {
      auto& step = entry.steps[number];
      step.begun = true;
      step.done = step.done || record == "done";
      if (record == "done") step.after = fields.text_map("after");
    } else {
      entry.damaged = true;
    }
  }
  if (!document.error().empty()) entry.damaged = true;
}

// The files of --persist repeat the settings of their run, and of the earlier runs for this NIC
// whose entries are open.
void mark_repeated(std::vector<Entry>& entries) {
  for (const auto& newer : entries) {
    if (!newer.is_tuning() || !newer.confirmed || newer.boot_files.empty()) continue;
    for (auto& entry : entries) {
      const bool is_earlier = entry.is_tuning() && entry.tune_number() <= newer.tune_number();
      if (is_earlier && entry.nic_id() == newer.nic_id()) entry.is_repeated = true;
    }
  }
}

}  // namespace

const Entry* newest_tuning(const std::string& nic_id, const std::vector<Entry>& entries) {
  const Entry* newest = nullptr;
  for (const auto& entry : entries) {
    if (!entry.is_tuning() || entry.nic_id() != nic_id) continue;
    if (newest == nullptr || entry.tune_number() > newest->tune_number()) newest = &entry;
  }
  return newest;
}

unsigned Entry::tune_number() const {
  if (!id.starts_with(kTunePrefix)) return 0;
  const auto rest = std::string_view(id).substr(kTunePrefix.size());
  const auto number = parse_unsigned(rest.substr(0, rest.find('-')), UINT32_MAX);
  return static_cast<unsigned>(number.value_or(0));
}

std::string Entry::nic_id() const {
  const auto number = tune_number();
  return number == 0 ? id : id.substr(fmt::format("{}{}-", kTunePrefix, number).size());
}

bool Entry::is_valid_in(const std::string& boot) const {
  return boot_id == boot || is_repeated;
}

std::string Entry::persistent_name() const {
  if (is_tuning()) return tuning_name(interface);
  return interface.empty() ? "hugepages" : interface;
}

bool Entry::belongs_to(const host::Nic& candidate) const {
  const auto own = nic_id();
  return (candidate.vmbus && own == candidate.vmbus->str()) ||
         (candidate.vf && own == "vf-" + candidate.vf->mac.str());
}

bool Entry::matches(const std::string& name) const {
  if (name.empty()) return false;
  return id == name || interface == name || nic.vf == name || (nic.pci && nic.pci->str() == name) ||
         (nic.mac && nic.mac->str() == name);
}

bool Entry::has_step(StepKind kind) const {
  return std::any_of(
      steps.begin(), steps.end(), [kind](const StepRecord& step) { return step.kind == kind; });
}

std::vector<std::string> Entry::saved_addresses() const {
  std::vector<std::string> found;
  for (const auto& step : steps) {
    for (auto& address : setup::saved_addresses(step)) found.push_back(std::move(address));
  }
  return found;
}

std::string encode_line(const std::string& text) {
  return fmt::format("{:016x} {}\n", checksum(text), text);
}

std::optional<std::string> decode_line(std::string_view line) {
  if (line.size() <= kSumDigits || line[kSumDigits] != ' ') return std::nullopt;
  const auto text = line.substr(kSumDigits + 1);
  if (line.substr(0, kSumDigits) != fmt::format("{:016x}", checksum(text))) return std::nullopt;
  return std::string(text);
}

Entry read_entry(std::string id, std::string_view text) {
  Entry entry;
  entry.id = std::move(id);
  bool first = true;
  while (!text.empty() || first) {
    const auto end = text.find('\n');
    const auto line = decode_line(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line) entry.damaged = true;
    if (!line && first) {
      entry.read_error = fmt::format(
          "its first line, which names the earlier settings, is damaged: restore them by hand and "
          "remove {}/{}",
          kJournalDirectory,
          file_name(entry.id));
    }
    if (line && first) read_open_line(*line, entry);
    if (line && !first) read_progress_line(*line, entry);
    if (!entry.is_readable()) {
      entry.steps.clear();
      return entry;
    }
    first = false;
  }
  // The lines that are lost may have said that a step began.
  for (auto& step : entry.steps) step.begun = step.begun || entry.damaged;
  return entry;
}

Result<std::vector<Entry>> Journal::entries() const {
  const auto names = files_.list();
  if (!names) return because(names.error(), "cannot read the journal");
  std::vector<Entry> entries;
  for (const auto& name : *names) {
    if (!name.ends_with(kSuffix)) continue;
    auto id = name.substr(0, name.size() - kSuffix.size());
    const auto text = files_.read(name);
    if (text) {
      entries.push_back(read_entry(std::move(id), *text));
    } else if (text.error().sys != ENOENT) {  // ENOENT: another process closed the entry
      Entry entry;
      entry.id = std::move(id);
      entry.read_error = text.error().message;
      // If the file is not trusted, the message contains the advice.
      const bool is_untrusted = text.error().code == Errc::denied && text.error().sys == 0;
      if (!is_untrusted) entry.read_error += "; check the file and remove it by hand";
      entries.push_back(std::move(entry));
    }
  }
  mark_repeated(entries);
  return entries;
}

Result<> Journal::create(const Entry& entry) {
  const auto json = json_of(entry);
  const auto written = files_.replace(file_name(entry.id), encode_line(json.dump()));
  if (!written) return because(written.error(), "cannot write the journal");
  const auto text = files_.read(file_name(entry.id));
  if (!text) return because(text.error(), "cannot read the journal entry back");
  const auto read = read_entry(entry.id, *text);
  if (!read.is_readable()) {
    return fail(Errc::io, "cannot read the journal entry back: " + read.read_error);
  }
  if (json_of(read) == json) return {};
  return fail(Errc::io, "the journal entry differs from what was written");
}

namespace {

Result<> append(os::DurableDirectory& files, const std::string& id, const Json& record) {
  const auto written = files.append(file_name(id), encode_line(record.dump()));
  if (!written) return because(written.error(), "cannot write the journal");
  return {};
}

}  // namespace

Result<> Journal::begin_step(const std::string& id, std::size_t step) {
  return append(files_, id, {{"record", "begin"}, {"step", step}});
}

Result<> Journal::finish_step(const std::string& id, std::size_t step, const Values& after) {
  return append(files_, id, {{"record", "done"}, {"step", step}, {"after", after}});
}

Result<> Journal::mark_ready(const std::string& id) {
  return append(files_, id, {{"record", "ready"}});
}

Result<> Journal::save_boot_files(const std::string& id, const std::vector<PersistentFile>& files) {
  Json record{{"record", "boot-files"}, {"files", Json::array()}};
  for (const auto& file : files) {
    record["files"].push_back(
        {{"directory", file.directory}, {"name", file.name}, {"text", file.text}});
  }
  return append(files_, id, record);
}

Result<> Journal::confirm(const std::string& id) {
  return append(files_, id, {{"record", "confirmed"}});
}

Result<> Journal::begin_restore(const std::string& id) {
  return append(files_, id, {{"record", "restoring"}});
}

Result<> Journal::mark_reverted(const Entry& entry) {
  Json steps = Json::array();
  for (std::size_t number = 0; number < entry.steps.size(); ++number) {
    if (entry.steps[number].reverted) steps.push_back(number);
  }
  return append(files_,
                entry.id,
                {{"record", "reverted"},
                 {"steps", std::move(steps)},
                 {"written_to", step_texts(entry, &StepRecord::written_to)},
                 {"kept", step_texts(entry, &StepRecord::kept_settings)}});
}

Result<> Journal::remove(const std::string& id) {
  const auto removed = files_.remove(file_name(id));
  if (!removed) return because(removed.error(), "cannot close the journal entry");
  return {};
}

}  // namespace manactl::setup
