// SPDX-License-Identifier: MIT

#include "cli/bench/columns.h"

#include <array>

namespace manactl::cli {
namespace {

using datapath::Sample;

constexpr std::array kColumns = {
    Column{"tx", "packets", [](Sample& s) -> std::uint64_t& { return s.tx.packets; }},
    Column{"tx", "bytes", [](Sample& s) -> std::uint64_t& { return s.tx.bytes; }},
    Column{"tx", "missed", [](Sample& s) -> std::uint64_t& { return s.tx.missed; }},
    Column{"tx", "no_buffer", [](Sample& s) -> std::uint64_t& { return s.tx.no_buffer; }},
    Column{"tx", "errors", [](Sample& s) -> std::uint64_t& { return s.tx.errors; }},
    Column{"rx", "packets", [](Sample& s) -> std::uint64_t& { return s.rx.packets; }},
    Column{"rx", "bytes", [](Sample& s) -> std::uint64_t& { return s.rx.bytes; }},
    Column{"rx", "missed", [](Sample& s) -> std::uint64_t& { return s.rx.missed; }},
    Column{"rx", "no_buffer", [](Sample& s) -> std::uint64_t& { return s.rx.no_buffer; }},
    Column{"rx", "errors", [](Sample& s) -> std::uint64_t& { return s.rx.errors; }},
    Column{"effort", "cycles", [](Sample& s) -> std::uint64_t& { return s.effort.cycles; }},
    Column{"effort",
           "instructions",
           [](Sample& s) -> std::uint64_t& { return s.effort.instructions; }},
    Column{"effort", "polls", [](Sample& s) -> std::uint64_t& { return s.effort.polls; }},
    Column{
        "effort", "empty_polls", [](Sample& s) -> std::uint64_t& { return s.effort.empty_polls; }},
    Column{
        "effort", "full_bursts", [](Sample& s) -> std::uint64_t& { return s.effort.full_bursts; }},
};

}  // namespace

std::string Column::str() const {
  if (group == "effort") return std::string(name);
  return std::string(group) + '_' + std::string(name);
}

std::span<const Column> columns() {
  return kColumns;
}

}  // namespace manactl::cli
