#include "service/rendition_record.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "unit/service/doubles.hpp"

namespace optimux::service {
namespace {

using base::Phase;
using std::chrono::steady_clock;
using std::chrono::system_clock;

const std::string kKey = "size=3x2;file:odd \xff\n.jpg";
constexpr std::size_t kSourceSize = 15;

std::shared_ptr<Rendition> sample(bool has_phases = true) {
  auto rendition = std::make_shared<Rendition>(kKey, kSourceSize);
  rendition->set_facts({"\"tag\"", "max-age=5", system_clock::time_point(std::chrono::seconds(784111777)), "W/\"\xfe\"",
                        "http://elsewhere/", "0123"});
  rendition->set_validated_at(steady_clock::now() - std::chrono::seconds(7));
  base::SharedBody& body = *rendition->body();
  body.start({"image/webp", 3, 2, 4, has_phases});
  if (has_phases) body.end_phase(Phase::kFirst, 100);
  body.append(*doubles::bytes_of(std::string(200'000, 'x')));
  body.complete();
  return rendition;
}

std::string bytes_of(const Rendition& rendition) {
  auto reader = rendition.body()->attach();
  return doubles::read(reader);
}

std::shared_ptr<Rendition> read_back(const Rendition& rendition) {
  const auto bytes = doubles::bytes_of(bytes_of(rendition));
  return decode_record(rendition.key(), encode_record(rendition), bytes, system_clock::now() - std::chrono::seconds(7));
}

void expect_equal(const Rendition& left, const Rendition& right) {
  EXPECT_EQ(left.key(), right.key());
  EXPECT_EQ(left.source(), right.source());
  EXPECT_EQ(left.facts(), right.facts());
  EXPECT_EQ(bytes_of(left), bytes_of(right));
  EXPECT_EQ(left.body()->state(), base::SharedBody::State::kComplete);
  EXPECT_EQ(right.body()->state(), base::SharedBody::State::kComplete);
  const auto head = left.body()->head();
  const auto other = right.body()->head();
  EXPECT_EQ(head->content_type, other->content_type);
  EXPECT_EQ(head->width, other->width);
  EXPECT_EQ(head->height, other->height);
  EXPECT_EQ(head->pages, other->pages);
  EXPECT_EQ(head->has_phases, other->has_phases);
  for (const std::uint64_t offset : {0, 99, 100, 199'999}) {
    EXPECT_EQ(left.body()->phase_at(offset), right.body()->phase_at(offset)) << offset;
  }
  EXPECT_LT(std::chrono::abs(*left.validated_at() - *right.validated_at()), std::chrono::seconds(1));
}

TEST(RenditionRecord, IsReadBack) {
  for (const bool has_phases : {true, false}) {
    const auto rendition = sample(has_phases);
    const auto back = read_back(*rendition);
    ASSERT_NE(back, nullptr);
    expect_equal(*rendition, *back);
  }
}

TEST(RenditionRecord, WithoutATimeOfModificationThereIsNone) {
  const auto rendition = sample();
  rendition->set_facts({"\"tag\"", "", {}});
  const auto back = read_back(*rendition);
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->facts().last_modified, std::nullopt);
}

// What is on disk passes a checksum, but a record may come from another version, or from somebody's hand.
TEST(RenditionRecord, AnythingElseIsNone) {
  const std::string record = encode_record(*sample());
  const auto bytes = doubles::bytes_of(std::string(200, 'x'));
  const auto decode = [&](std::string_view metadata, const std::string& key = kKey) {
    return decode_record(key, metadata, bytes, system_clock::now());
  };
  EXPECT_NE(decode(record), nullptr);
  EXPECT_EQ(decode(record, "short"), nullptr) << "shorter than the source that it ends with";
  for (std::size_t size = 0; size < record.size(); ++size) EXPECT_EQ(decode(record.substr(0, size)), nullptr) << size;
  for (std::size_t i = 0; i < record.size(); ++i) {
    std::string changed = record;
    changed[i] = static_cast<char>(changed[i] ^ 0x21);
    decode(changed);  // Whatever it gives, it gives it without harm.
  }
  const auto generation = record.find("generation");
  ASSERT_NE(generation, std::string::npos);
  std::string other = record;
  other[generation + 11] = '0';
  EXPECT_EQ(decode(other), nullptr) << "of another generation of encoders";
}

TEST(RenditionRecord, PhasesBeyondTheBytesAreNone) {
  const std::string record = encode_record(*sample());
  const auto bytes = doubles::bytes_of(std::string(99, 'x'));
  EXPECT_EQ(decode_record(kKey, record, bytes, system_clock::now()), nullptr);
}

TEST(RenditionRecord, BytesAreSharedUnlessTheirMemoryIsMuchLarger) {
  const std::string record = encode_record(*sample(false));
  for (const std::size_t room : {1'000u, 2'000u}) {
    auto bytes = std::make_shared<base::ByteBuffer>();
    bytes->reserve(room);
    bytes->append(*doubles::bytes_of(std::string(1'000, 'x')));
    const auto rendition = decode_record(kKey, record, bytes, system_clock::now());
    ASSERT_NE(rendition, nullptr);
    EXPECT_EQ(bytes_of(*rendition), std::string(1'000, 'x'));
    EXPECT_EQ(rendition->body()->attach().peek().data() == bytes->data(), room == 1'000u);
    EXPECT_EQ(bytes.use_count() > 1, room == 1'000u);
  }
}

TEST(RenditionRecord, CopyIsTheSameAndOutlivesTheFirst) {
  auto rendition = sample();
  rendition->set_source_failed_at(steady_clock::now());
  Rendition copy(kKey, kSourceSize);
  copy_rendition(*rendition, copy);
  expect_equal(*rendition, copy);
  EXPECT_EQ(copy.source_failed_at(), rendition->source_failed_at());
  rendition.reset();
  EXPECT_EQ(bytes_of(copy), std::string(200'000, 'x'));
}

}  // namespace
}  // namespace optimux::service
