#include "apps/optimux/process_memory.hpp"

#include <malloc.h>

namespace optimux::apps {

// Left alone, glibc raises the size from which memory is mapped (and so goes back at once when it is freed) up to 32
// MiB as large pieces come and go, keeps twice that at the top of each arena, and makes eight arenas for each CPU.
// Pictures are large pieces of short life in many threads: the worst case of all three.
//
// Measured on two CPUs with 16 connections, 120 different renditions of 20 photos of 1 to 4 MB in WebP, JPEG and PNG, a
// memory cache of 32 MiB; resident memory in MiB at the peak and afterwards, CPU seconds:
//   as glibc has it                                187 -> 178, growing    15.5
//   two arenas                                     144 -> 136, growing    16.9
//   mapped from 1 MiB on, 4 MiB kept               143 ->  96, flat       15.2
//   mapped from 128 KiB on, 1 MiB kept, two arenas 132 ->  92, flat       14.9
// Since then mapped from 512 KiB on: a thumbnail of a photo of 2.3 MB takes 3 to 6 % less CPU than from 128 KiB on,
// because working memory of codecs stays mapped (350 page faults less), and the peak at 16 connections is some 10 to 20
// MB higher. Mapping from 4 MiB on, or keeping 4 MiB, saves little more and costs 10 to 50 MB; two arenas instead of
// four save nothing then. A few arenas more than two cost little memory and spare many CPUs the contention.
void set_up_allocator() {
  // NOLINTBEGIN(concurrency-mt-unsafe): called before the first thread is started
  ::mallopt(M_MMAP_THRESHOLD, 512 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
  ::mallopt(M_ARENA_MAX, 4);
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace optimux::apps
