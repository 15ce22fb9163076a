#!/usr/bin/env bash
# Makes the sample media that the server shows on its first run and that tests and benchmarks use: nothing is
# downloaded. usage: make_samples.sh FOLDER [--large]   (--large adds the 8K picture of the benchmarks)
set -euo pipefail

folder=$1
mkdir -p "$folder"
trap 'rm -rf "$folder"/.making.*' EXIT

# Runs a maker whose last argument is its output, unless that file is there already. The file appears whole or not at all.
make() {
  local maker=$1 output=$folder/$2
  [ -s "$output" ] && return
  echo "making $output" >&2
  local work
  work=$(mktemp -d "$folder/.making.XXXXXX")
  "$maker" "$work/$2"
  mv "$work/$2" "$output"
  rm -rf "$work"
}

quiet_ffmpeg() { ffmpeg -nostdin -loglevel error -y "$@"; }

# Photo-like: fractal surfaces have the spectrum of natural pictures (energy falls with frequency) and so compress and
# decode like one; three of them are the lightness and the two colour axes, at the mean and deviation of a landscape.
photo() {
  local output=$1 work
  work=$(dirname "$output")
  fractal_plane "$work/l.v" 2.45 16 52
  fractal_plane "$work/a.v" 2.05 10 4
  fractal_plane "$work/b.v" 2.05 12 10
  vips bandjoin "$work/l.v $work/a.v $work/b.v" "$work/lab.v"
  vips copy "$work/lab.v" "$work/tagged.v" --interpretation lab
  vips colourspace "$work/tagged.v" "$work/srgb.v" srgb
  vips jpegsave "$work/srgb.v" "$output" --Q 90
}

# usage: fractal_plane FILE DIMENSION DEVIATION MEAN
fractal_plane() {
  local output=$1 dimension=$2 wanted_deviation=$3 wanted_mean=$4 raw=${1%.v}-raw.v factor offset
  vips fractsurf "$raw" 4000 3000 "$dimension"
  factor=$(awk -v want="$wanted_deviation" -v have="$(vips deviate "$raw")" 'BEGIN { print want / have }')
  offset=$(awk -v want="$wanted_mean" -v have="$(vips avg "$raw")" -v factor="$factor" 'BEGIN { print want - have * factor }')
  vips linear "$raw" "$output" "$factor" " $offset"
}

# 7680x4320 with the noise of a sensor, from the photo: what the benchmark of shrink-on-load starts from.
landscape_8k() {
  local output=$1 work
  work=$(dirname "$output")
  vips resize "$folder/photo.jpg" "$work/large.v" 1.92
  vips crop "$work/large.v" "$work/cut.v" 0 0 7680 4320
  vips gaussnoise "$work/noise.v" 7680 4320 --sigma 3 --mean 0
  vips add "$work/cut.v" "$work/noise.v" "$work/noisy.v"
  vips cast "$work/noisy.v" "$work/byte.v" uchar
  vips copy "$work/byte.v" "$work/tagged.v" --interpretation srgb
  vips jpegsave "$work/tagged.v" "$output" --Q 85
}

# A soft disc whose edge fades out: the alpha channel has all values.
alpha_png() {
  quiet_ffmpeg -f lavfi -i "color=c=black@0:s=800x800,format=rgba,geq=r='X*255/W':g='Y*255/H':b='128+64*sin(X/40)':a='255*clip((400-hypot(X-400,Y-400))/120,0,1)'" \
    -frames:v 1 "$1"
}

animated_gif() {
  quiet_ffmpeg -f lavfi -i "testsrc=size=320x240:rate=10:duration=2" -vf "split[a][b];[a]palettegen[p];[b][p]paletteuse" \
    -loop 0 "$1"
}

clip() {
  quiet_ffmpeg -f lavfi -i "testsrc2=size=640x360:rate=25:duration=6" -f lavfi -i "sine=frequency=440:duration=6" \
    -c:v libx264 -preset veryfast -pix_fmt yuv420p -c:a aac -movflags +faststart "$1"
}

make photo photo.jpg
make alpha_png disc.png
make animated_gif clock.gif
make clip clip.mp4
if [ "${2:-}" = --large ]; then make landscape_8k landscape-8k.jpg; fi
