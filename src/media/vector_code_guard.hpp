#pragma once

// For the sources of this layer only.

namespace optimux::media {

/// Makes sure that threads do not break each other's machine code. libvips compiles inner loops with liborc, whose
/// 0.4.33 takes its lock when a program is compiled and not when one is freed: two pipelines, of which one begins while
/// the other ends, corrupt the list of free code memory, and the process is lost (8 threads that do nothing else:
/// within a second; a server under load: once in some ten thousand renditions).
///
/// The two functions are put in front of liborc's by their names, with one mutex around both. Where the linker did not
/// do so, libvips is told to work without machine code of its own, which costs 8 % of the CPU time of a rendition
/// (measured on photographs). libvips releases that do without liborc need neither. Called once, after libvips has
/// started and before its first operation.
void guard_vector_code();

}  // namespace optimux::media
