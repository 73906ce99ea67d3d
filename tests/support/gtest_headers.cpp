// SPDX-License-Identifier: MIT
//
// Contains no code: CMake only precompiles headers for a target with a source.
