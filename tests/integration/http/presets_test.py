"""Parameters under a name, and nothing but them."""

import pytest

from support import client, media
from support.server import run_optimux

PRESETS = ["thumb=sizes=40x40&fit=cover&format=webp", "hero=sizes=60x0,80x0&format=jpeg", "gray=quality=20"]


def asset(**parameters) -> str:
    return client.asset(media.QUARTERS_PNG, **parameters)


def test_a_preset_is_what_it_stands_for(start_server):
    server = start_server(presets=PRESETS)
    first = server.get(asset(preset="thumb"))
    assert (first.status, first.header("Content-Type")) == (200, "image/webp")
    renders = server.renders()
    again = server.get(asset(sizes="40x40", fit="cover", format="webp"))
    assert (again.body, again.header("ETag")) == (first.body, first.header("ETag"))
    assert server.renders() == renders, "the same rendition, the same key"


def test_parameters_of_the_url_count_more(start_server):
    server = start_server(presets=PRESETS)
    assert server.get(asset(preset="thumb", format="png")).header("Content-Type") == "image/png"
    assert server.get(asset(preset="thumb,gray", format="jpeg")).status == 200
    response = server.get(asset(preset="tumb"))
    assert response.status == 400
    assert 'no preset "tumb"; did you mean thumb?' in response.problem()["detail"]


def test_presets_alone(start_server):
    server = start_server(presets=PRESETS, presets_only=True)
    server.assert_unharmed = lambda: server.await_idle()
    assert server.get(asset(preset="thumb")).status == 200
    assert server.get(asset(preset="thumb", download="a.webp")).status == 200
    assert server.get("/optimux/info/" + media.QUARTERS_PNG).status == 200
    for parameters, name in (
        ({"preset": "thumb", "quality": "1"}, "quality"),
        ({"sizes": "40x40"}, "preset"),
        ({}, "preset"),
        ({"preset": "thumb", "sizes": "41x40"}, "sizes"),
        ({"preset": "thumb", "encoder": "json"}, "encoder"),
    ):
        response = server.get(asset(**parameters))
        assert response.status == 400, parameters
        assert name in response.problem()["detail"]
        assert "presets alone" in response.problem()["detail"]
    hero = server.get(asset(preset="hero"))
    link = hero.header("Link")
    target = link[1 : link.index(">")]
    assert server.get(target).status == 200, target
    assert server.get(target.replace("80x0", "81x0")).status == 400


def test_presets_in_a_file(start_server, tmp_path):
    file = tmp_path / "optimux.toml"
    file.write_text("max_sizes = 2\n[presets]\nthumb = 'sizes=40x40&fit=cover'\n\"two\" = 'sizes=1x1,2x2'\n")
    server = start_server(config=file)
    assert server.get(asset(preset="thumb", format="png")).body[16:24] == bytes([0, 0, 0, 40, 0, 0, 0, 40])
    assert server.get(asset(preset="two")).status == 200
    response = server.get(asset(sizes="1x1,2x2,3x3"))
    assert response.status == 400
    assert "max_sizes (2)" in response.problem()["detail"]


def test_only_listed_formats(start_server):
    server = start_server(allowed_formats=["webp", "png"])
    server.assert_unharmed = lambda: server.await_idle()
    assert server.get(asset(sizes="20x0")).header("Content-Type") == "image/webp"
    assert server.get(asset(sizes="20x0", format="png")).header("Content-Type") == "image/png"
    assert server.get(asset(sizes="20x0", format="auto"), Accept="image/avif,*/*").header("Content-Type") == "image/png"
    response = server.get(asset(sizes="20x0", format="avif"))
    assert response.status == 400
    assert response.problem()["detail"] == "format cannot be avif; allowed: auto, webp, png"


@pytest.mark.parametrize(
    "options, said",
    [
        (["--presets", "a=quality=101"], 'presets: a: quality cannot be "101"'),
        (["--presets", "a=qality=1"], "did you mean quality?"),
        (["--presets", "a"], "presets: "),
        (["--presets", "a=format=gif", "--allowed-formats", "webp"], "presets: a: format cannot be gif; allowed: auto, webp"),
        (["--presets", "a=sizes=1,2,3", "--max-sizes", "2"], "presets: a: sizes: 3 are more than max_sizes (2)"),
        (["--presets-only"], "presets_only: needs presets"),
        (["--allowed-formats", "bmp"], "allowed_formats: 'bmp' is not allowed"),
        (["--max-sizes", "6"], "max_sizes: 6 is out of range"),
    ],
)
def test_wrong_declarations_end_the_start(options, said):
    done = run_optimux("serve", "--listen", "127.0.0.1:0", *options)
    assert done.returncode == 3
    assert said in done.stderr.decode()


def test_presets_by_variable_and_in_what_is_printed(tmp_path):
    shown = run_optimux("config", "--presets", "b=sizes=1x1,2x2", "--presets", "a=quality=3")
    assert 'presets = { "a" = "quality=3", "b" = "sizes=1x1,2x2" }' in shown.stdout.decode()
    (tmp_path / "now.toml").write_bytes(shown.stdout)
    again = run_optimux("config", "--config", tmp_path / "now.toml")
    assert 'presets = { "a" = "quality=3", "b" = "sizes=1x1,2x2" }' in again.stdout.decode()
