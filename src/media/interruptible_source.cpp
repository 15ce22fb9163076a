#include "media/interruptible_source.hpp"

#include <algorithm>
#include <cstring>

#include "media/interrupt.hpp"

namespace optimux::media {
namespace {

struct Stream {
  const base::ByteBuffer& bytes;
  const OperationControl& control;
  std::size_t position = 0;
};

gint64 read(VipsSourceCustom* /*source*/, void* buffer, gint64 length, Stream* stream) {
  if (!check_interrupt(stream->control)) return -1;
  const std::size_t count = std::min(static_cast<std::size_t>(length), stream->bytes.size() - stream->position);
  std::memcpy(buffer, stream->bytes.data() + stream->position, count);
  stream->position += count;
  return static_cast<gint64>(count);
}

gint64 seek(VipsSourceCustom* /*source*/, gint64 offset, int whence, Stream* stream) {
  gint64 from = 0;
  if (whence == SEEK_CUR) from = static_cast<gint64>(stream->position);
  if (whence == SEEK_END) from = static_cast<gint64>(stream->bytes.size());
  const gint64 target = from + offset;
  if (target < 0 || target > static_cast<gint64>(stream->bytes.size())) return -1;
  stream->position = static_cast<std::size_t>(target);
  return target;
}

void delete_stream(void* stream) {
  delete static_cast<Stream*>(stream);
}

}  // namespace

SourceHandle new_interruptible_source(const SourceBuffer& bytes, const OperationControl& control) {
  VipsSourceCustom* custom = vips_source_custom_new();
  auto stream = std::make_unique<Stream>(Stream{*bytes, control});
  g_signal_connect(custom, "read", G_CALLBACK(read), stream.get());
  g_signal_connect(custom, "seek", G_CALLBACK(seek), stream.get());
  g_object_set_data_full(G_OBJECT(custom), "optimux-stream", stream.release(), delete_stream);
  return SourceHandle(VIPS_SOURCE(custom));
}

}  // namespace optimux::media
