#include "plot/svg.hpp"

#include "plot/axis_ticks.hpp"
#include "plot/projection.hpp"
#include "plot/thinning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace optimux::pool::plot {
namespace {

constexpr double kLeft = 78;
constexpr double kRight = 18;
constexpr double kMargin = 10;
constexpr double kGap = 16;         // between panels
constexpr double kFoot = 44;        // below the last panel: marks and label of the horizontal axis
constexpr double kLine = 18;        // a line of text
constexpr double kLetter = 6.8;     // mean width of a letter at 12 px; only the legend's line breaks depend on it
constexpr double kKey = 30;         // a legend entry's sample and the space around it
constexpr double kTickRoom = 90;    // pixels for one mark of the horizontal axis
constexpr double kTickHeight = 38;  // pixels for one mark of a vertical axis

// The palette of Okabe and Ito (2008), which people with any kind of colour vision can tell apart; black is left to the
// axes, yellow is too faint for lines.
constexpr std::array<std::string_view, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#666666"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
  }
  return result;
}

std::string pixel(double value) {
  return to_text(value, 1);
}

std::string with_unit(const Axis& axis) {
  return axis.unit.empty() ? axis.label : axis.label + " (" + axis.unit + ")";
}

/// The names of a chart in the order of their appearance; their places are their colours.
class Legend {
 public:
  explicit Legend(const Chart& chart) {
    for (const Panel& panel : chart.panels) {
      for (const Series& series : panel.series) add(series.name, series.dashed);
    }
    for (const Panel& panel : chart.panels) {
      for (const Band& band : panel.bands) add(band.name, false);
    }
  }

  struct Entry {
    std::string name;
    bool dashed;
  };

  [[nodiscard]] std::string_view colour(const std::string& name) const {
    const auto at = find(name);
    return kColours[static_cast<std::size_t>(at - entries_.begin()) % kColours.size()];
  }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  [[nodiscard]] std::vector<Entry>::const_iterator find(const std::string& name) const {
    return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; });
  }
  void add(const std::string& name, bool dashed) {
    if (find(name) == entries_.end()) entries_.push_back({name, dashed});
  }

  std::vector<Entry> entries_;
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), legend_(chart) {}

  std::string draw() {
    const double head = draw_head();
    const auto count = static_cast<double>(chart_.panels.size());
    bottom_ = head + count * chart_.panel_height + (count - 1) * kGap;
    const double right = chart_.width - kRight;
    const Extent extent = x_extent(chart_);
    const Projection x(chart_.x.scale,
                       make_ticks(chart_.x, extent.low(), extent.high(), static_cast<int>((right - kLeft) / kTickRoom)),
                       kLeft, right);
    double top = head;
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) {
      draw_panel(chart_.panels[i], x, top, i);
      top += chart_.panel_height + kGap;
    }
    draw_x_axis(x);
    return opening() + body_ + "</svg>\n";
  }

 private:
  [[nodiscard]] std::string opening() const {
    const std::string width = std::to_string(chart_.width);
    const std::string height = pixel(bottom_ + kFoot);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
           "\" viewBox=\"0 0 " + width + " " + height +
           "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n<title>" + escaped(chart_.title) +
           "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  }

  void text(double x, double y, std::string_view text, std::string_view more = "") {
    if (text.empty()) return;
    body_ +=
        "<text x=\"" + pixel(x) + "\" y=\"" + pixel(y) + "\"" + std::string(more) + ">" + escaped(text) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, std::string_view look) {
    body_ += "<line x1=\"" + pixel(x1) + "\" y1=\"" + pixel(y1) + "\" x2=\"" + pixel(x2) + "\" y2=\"" + pixel(y2) +
             "\" " + std::string(look) + "/>\n";
  }

  // Title, subtitle and legend; returns where the panels begin.
  double draw_head() {
    double y = kMargin;
    if (!chart_.title.empty()) text(kLeft, y += kLine, chart_.title, " font-size=\"16\" font-weight=\"bold\"");
    if (!chart_.subtitle.empty()) text(kLeft, y += kLine, chart_.subtitle, " fill=\"#555\"");
    double x = kLeft;
    y += kLine;
    for (const Legend::Entry& entry : legend_.entries()) {
      if (entry.name.empty()) continue;
      const double width = kKey + kLetter * static_cast<double>(entry.name.size()) + kMargin;
      if (x > kLeft && x + width > chart_.width - kRight) x = kLeft, y += kLine;
      line(x, y - 4, x + kKey - 8, y - 4, stroke(legend_.colour(entry.name), 2.5, entry.dashed));
      text(x + kKey - 2, y, entry.name);
      x += width;
    }
    return y + kMargin;
  }

  static std::string stroke(std::string_view colour, double width, bool dashed) {
    return "fill=\"none\" stroke=\"" + std::string(colour) + "\" stroke-width=\"" + pixel(width) + "\"" +
           (dashed ? " stroke-dasharray=\"6 4\"" : "");
  }

  void draw_panel(const Panel& panel, const Projection& x, double top, std::size_t number) {
    const double bottom = top + chart_.panel_height;
    const Extent extent = y_extent(panel);
    const Projection y(panel.y.scale,
                       make_ticks(panel.y, extent.low(), extent.high(),
                                  std::max(2, static_cast<int>(chart_.panel_height / kTickHeight))),
                       bottom, top);
    draw_grid(panel, x, y, top, bottom);
    const std::string clip = "panel" + std::to_string(number);
    body_ += "<clipPath id=\"" + clip + "\"><rect x=\"" + pixel(kLeft) + "\" y=\"" + pixel(top - 2) + "\" width=\"" +
             pixel(chart_.width - kLeft - kRight) + "\" height=\"" + pixel(bottom - top + 4) +
             "\"/></clipPath>\n<g clip-path=\"url(#" + clip + ")\">\n";
    for (const Band& band : panel.bands) draw_band(band, x, y);
    for (const Series& series : panel.series) draw_series(series, x, y);
    body_ += "</g>\n";
    for (const Marker& marker : panel.markers) draw_marker(marker, x, y, top, bottom);
  }

  void draw_grid(const Panel& panel, const Projection& x, const Projection& y, double top, double bottom) {
    const double right = chart_.width - kRight;
    for (const Tick& tick : x.ticks()) line(x(tick.at), top, x(tick.at), bottom, R"(stroke="#eee")");
    for (const Tick& tick : y.ticks()) {
      line(kLeft, y(tick.at), right, y(tick.at), R"(stroke="#ddd")");
      text(kLeft - 6, y(tick.at) + 4, tick.text, " text-anchor=\"end\"");
    }
    line(kLeft, top, kLeft, bottom, R"(stroke="#222")");
    line(kLeft, bottom, right, bottom, R"(stroke="#222")");
    const double middle = (top + bottom) / 2;
    text(18, middle, with_unit(panel.y), " text-anchor=\"middle\" transform=\"rotate(-90 18 " + pixel(middle) + ")\"");
  }

  void draw_x_axis(const Projection& x) {
    for (const Tick& tick : x.ticks()) {
      line(x(tick.at), bottom_, x(tick.at), bottom_ + 5, R"(stroke="#222")");
      text(x(tick.at), bottom_ + kLine, tick.text, " text-anchor=\"middle\"");
    }
    text((kLeft + chart_.width - kRight) / 2, bottom_ + 2 * kLine, with_unit(chart_.x), " text-anchor=\"middle\"");
  }

  static std::vector<Point> to_pixels(const Series& series, const Projection& x, const Projection& y) {
    std::vector<Point> pixels;
    for (const Point& point : series.points) {
      const Point next{x(point.x), y(point.y)};
      if (series.style == Style::kSteps && !pixels.empty()) pixels.push_back({next.x, pixels.back().y});
      pixels.push_back(next);
    }
    return pixels;
  }

  void draw_series(const Series& series, const Projection& x, const Projection& y) {
    const std::vector<Point> pixels = to_pixels(series, x, y);
    const std::string_view colour = legend_.colour(series.name);
    if (series.style == Style::kDots) return draw_dots(pixels, colour);
    std::string path;
    bool is_down = false;  // whether the pen touches the paper
    for (const Point& point : thin(pixels)) {
      const bool has_place = std::isfinite(point.x) && std::isfinite(point.y);
      if (has_place) path += (is_down ? " L" : "M") + pixel(point.x) + " " + pixel(point.y);
      is_down = has_place;
    }
    if (!path.empty()) body_ += "<path d=\"" + path + "\" " + stroke(colour, 1.6, series.dashed) + "/>\n";
  }

  void draw_dots(const std::vector<Point>& pixels, std::string_view colour) {
    for (const Point& point : pixels) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      body_ += "<circle cx=\"" + pixel(point.x) + "\" cy=\"" + pixel(point.y) + "\" r=\"3\" fill=\"" +
               std::string(colour) + "\"/>\n";
    }
  }

  void draw_band(const Band& band, const Projection& x, const Projection& y) {
    std::string there;
    std::string back;
    for (const Interval& interval : band.intervals) {
      const double column = x(interval.x);
      const double low = y(interval.low);
      const double high = y(interval.high);
      if (!std::isfinite(column) || !std::isfinite(low) || !std::isfinite(high)) continue;
      there += pixel(column) + "," + pixel(high) + " ";
      back.insert(0, pixel(column) + "," + pixel(low) + " ");
    }
    if (there.empty()) return;
    body_ += "<polygon points=\"" + there + back + "\" fill=\"" + std::string(legend_.colour(band.name)) +
             "\" fill-opacity=\"0.18\" stroke=\"none\"/>\n";
  }

  void draw_marker(const Marker& marker, const Projection& x, const Projection& y, double top, double bottom) {
    constexpr std::string_view kLook = "stroke=\"#222\" stroke-dasharray=\"3 3\"";
    const double right = chart_.width - kRight;
    if (marker.kind == Marker::Kind::kHorizontal) {
      if (!y.covers(marker.at)) return;
      line(kLeft, y(marker.at), right, y(marker.at), kLook);
      return text(right - 4, y(marker.at) - 4, marker.label, " text-anchor=\"end\"");
    }
    if (!x.covers(marker.at)) return;
    const double column = x(marker.at);
    const bool is_far = column > (kLeft + right) / 2;  // the text goes where there is room for it
    line(column, top, column, bottom, kLook);
    text(column + (is_far ? -4 : 4), top + 12, marker.label, is_far ? " text-anchor=\"end\"" : "");
  }

  const Chart& chart_;
  Legend legend_;
  double bottom_ = 0;
  std::string body_;
};

}  // namespace

std::string to_svg(const Chart& chart) {
  return Drawing(chart).draw();
}

}  // namespace optimux::pool::plot
