// SPDX-License-Identifier: MIT

#include "setup/journal.h"

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace manactl::setup {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr std::string_view kSuffix = ".jsonl";
constexpr std::size_t kSumDigits = 16;

// FNV-1a with 64 bits: against cuts and flipped bits, not against an attacker, who is root.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    sum *= 0x100000001b3U;
  }
  return sum;
}

std::string file_of(const std::string& id) {
  return id + std::string(kSuffix);
}

Json json_of(const StepRecord& step) {
  return {{"kind", step.kind},
          {"parameters", step.parameters},
          {"title", step.title},
          {"before", step.before},
          {"by_hand", step.by_hand}};
}

Json json_of(const Entry& entry) {
  Json json{{"record", "open"},
            {"version", kVersion},
            {"id", entry.id},
            {"interface", entry.interface},
            {"nic", entry.nic},
            {"boot_id", entry.boot_id},
            {"created", entry.created},
            {"confirmed", entry.confirmed},
            {"deadline", entry.deadline},
            {"watchdog", entry.watchdog},
            {"steps", Json::array()}};
  for (const auto& step : entry.steps) json["steps"].push_back(json_of(step));
  return json;
}

StepRecord step_of(const Json& json) {
  StepRecord step;
  step.kind = json.at("kind");
  step.parameters = json.at("parameters").get<Values>();
  step.title = json.at("title");
  step.before = json.at("before").get<Values>();
  step.by_hand = json.at("by_hand").get<std::vector<std::string>>();
  return step;
}

void take_open(const Json& json, Entry& entry) {
  if (json.at("record") != "open") {
    entry.unreadable = "its first line is something else";
    return;
  }
  if (json.at("version") != kVersion) {
    entry.unreadable =
        "another version of manactl wrote it, and can read it: it stays, restore with that one";
    entry.keep = true;
    return;
  }
  if (json.at("id") != entry.id) {
    entry.unreadable = "it belongs to something else";
    return;
  }
  entry.interface = json.at("interface");
  entry.nic = json.at("nic").get<Values>();
  entry.boot_id = json.at("boot_id");
  entry.created = json.at("created");
  entry.confirmed = json.at("confirmed");
  entry.deadline = json.at("deadline");
  entry.watchdog = json.value("watchdog", "");
  for (const auto& step : json.at("steps")) entry.steps.push_back(step_of(step));
}

void take_mark(const Json& json, Entry& entry) {
  const std::string record = json.at("record");
  if (record == "ready") entry.ready = true;
  if (record == "confirmed") entry.confirmed = true;
  if (record != "begin" && record != "done") return;
  auto& step = entry.steps.at(json.at("step").get<std::size_t>());
  step.begun = true;
  if (record != "done") return;
  step.done = true;
  step.after = json.at("after").get<Values>();
}

}  // namespace

std::string sealed(const std::string& text) {
  return fmt::format("{:016x} {}\n", checksum(text), text);
}

std::optional<std::string> unsealed(std::string_view line) {
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
    const auto line = unsealed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    try {
      if (!line && first) entry.unreadable = "its first line is damaged";
      if (!line && !first) entry.damaged = true;
      if (line && first) take_open(Json::parse(*line), entry);
      if (line && !first) take_mark(Json::parse(*line), entry);
    } catch (const std::exception& thrown) {
      entry.damaged = true;
      if (first) entry.unreadable = printable(thrown.what(), 200);
    }
    if (!entry.unreadable.empty()) {
      entry.steps.clear();
      return entry;
    }
    first = false;
  }
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
    } else if (text.error().sys != ENOENT) {  // else it was closed meanwhile: readers take no lock
      Entry entry;
      entry.id = std::move(id);
      entry.unreadable = text.error().message + "; it stays, look at it and remove it";
      entry.keep = true;
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

Result<> Journal::open(const Entry& entry) {
  const auto written = files_.replace(file_of(entry.id), sealed(json_of(entry).dump()));
  if (!written) return because(written.error(), "cannot write the journal");
  return {};
}

namespace {

Result<> append(os::Durable& files, const std::string& id, const Json& record) {
  const auto written = files.append(file_of(id), sealed(record.dump()));
  if (!written) return because(written.error(), "cannot write the journal");
  return {};
}

}  // namespace

Result<> Journal::begin(const std::string& id, std::size_t step) {
  return append(files_, id, {{"record", "begin"}, {"step", step}});
}

Result<> Journal::done(const std::string& id, std::size_t step, const Values& after) {
  return append(files_, id, {{"record", "done"}, {"step", step}, {"after", after}});
}

Result<> Journal::ready(const std::string& id) {
  return append(files_, id, {{"record", "ready"}});
}

Result<> Journal::confirm(const std::string& id) {
  return append(files_, id, {{"record", "confirmed"}});
}

Result<> Journal::close(const std::string& id) {
  const auto removed = files_.remove(file_of(id));
  if (!removed) return because(removed.error(), "cannot close the journal");
  return {};
}

}  // namespace manactl::setup
