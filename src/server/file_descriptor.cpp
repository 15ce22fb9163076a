#include "server/file_descriptor.hpp"

#include <unistd.h>

namespace optimux::server {

void FileDescriptor::close() {
  if (descriptor_ >= 0) ::close(release());
}

}  // namespace optimux::server
