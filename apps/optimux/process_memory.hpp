#pragma once

namespace optimux::apps {

/// Sets up glibc's allocator so that memory goes back to the system when a picture is done, and the process does not
/// keep for ever what its busiest moment took. Called before threads are started.
void set_up_allocator();

}  // namespace optimux::apps
