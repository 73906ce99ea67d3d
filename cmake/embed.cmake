# SPDX-License-Identifier: MIT
#
# cmake -DIN=file -DOUT=file.cpp -DNAME=name -P embed.cmake: writes a text file as a C++ constant.

file(READ "${IN}" text)
# Compilers may limit the length of a literal, but concatenate adjacent literals: the text is split into several.
string(LENGTH "${text}" length)
set(pieces "")
set(begin 0)
while(begin LESS length)
  string(SUBSTRING "${text}" ${begin} 12000 piece)
  string(APPEND pieces "R\"embed(${piece})embed\"\n")
  math(EXPR begin "${begin} + 12000")
endwhile()
file(WRITE "${OUT}"
  "// Generated from a data file; do not edit.\n#include <string_view>\n"
  "namespace manactl::embedded {\nextern const std::string_view ${NAME};\n"
  "const std::string_view ${NAME} =\n${pieces};\n}  // namespace manactl::embedded\n")
