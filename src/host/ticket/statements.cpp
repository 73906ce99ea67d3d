// SPDX-License-Identifier: MIT

#include "host/ticket/statements.h"

#include "base/text.h"

namespace manactl::host {

void TicketStatements::set_place(const TicketLine& line, const std::string& host) {
  line_ = line;
  host_ = host;
}

void TicketStatements::add_host(std::string_view name) {
  const bool is_address = name.find_first_not_of("0123456789.") == name.npos;
  const std::string host(is_address ? name : name.substr(0, name.find('.')));
  if (!host.empty()) hosts_.insert(host);
}

void TicketStatements::add(const std::string& key, const std::string& value) {
  if (line_.number != last_line_) ++lines_;
  last_line_ = line_.number;
  add_host(host_);
  const auto [at, is_new] = statements_.try_emplace(key, Statement{value, line_, host_});
  auto& statement = at->second;
  if (is_new || statement.value == value) return;
  const bool is_of_host = !host_.empty() && statement.host == host_;
  statement = {value, line_, host_, statement.is_disputed || !is_of_host};
}

void TicketStatements::renew(const std::string& key, const std::string& value) {
  add(key, value);
  statements_.at(key).line = line_;
}

const TicketStatements::Statement* TicketStatements::find(const std::string& key) const {
  const auto found = statements_.find(key);
  return found == statements_.end() || found->second.is_disputed ? nullptr : &found->second;
}

std::string TicketStatements::value(const std::string& key) const {
  const auto* const found = find(key);
  return found == nullptr ? std::string() : found->value;
}

std::set<std::string> TicketStatements::subjects(const std::string& kind) const {
  const std::string prefix = kind + ' ';
  std::set<std::string> names;
  for (auto at = statements_.lower_bound(prefix); at != statements_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    names.emplace(words(at->first).at(1));
  }
  return names;
}

std::set<std::string> TicketStatements::present(const std::string& kind) const {
  auto names = subjects(kind);
  std::erase_if(names, [&](const std::string& name) {
    return value(fmt::format("{} {} present", kind, name)) == "no";
  });
  return names;
}

std::vector<std::string> TicketStatements::disputed() const {
  std::vector<std::string> keys;
  for (const auto& [key, statement] : statements_) {
    if (statement.is_disputed) keys.push_back(key);
  }
  return keys;
}

}  // namespace manactl::host
