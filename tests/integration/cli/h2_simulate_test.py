"""`optimux h2 simulate`: a page of images over one connection, in virtual time."""

import csv
import json
import xml.etree.ElementTree

import pytest

from cli.command import run

SVG = "{http://www.w3.org/2000/svg}"
POLICIES = ["phases", "rfc9218", "fair", "fifo"]


@pytest.fixture
def simulate():
    def run_simulate(*arguments, **options):
        return run("h2", "simulate", *arguments, **options)

    return run_simulate


def medians(done):
    assert done.returncode == 0, done.stderr
    return {row["policy"]: row["medians"] for row in json.loads(done.stdout)["policies"]}


def test_all_policies_are_compared_and_a_seed_gives_the_same_bytes(simulate):
    done = simulate("--seeds", 3)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    text = done.stdout.decode()
    assert text.startswith("20 images of 90 kB, 3 Mbit/s, round trip 50 ms") and "medians of 3 seeds" in text
    for policy in POLICIES:
        assert text.count(f"\n{policy} ") == 3, "of the page, of the late image and of the line"
    assert simulate("--seeds", 3).stdout == done.stdout
    assert simulate("--seeds", 3, "--seed", 9).stdout != done.stdout


def test_phases_shows_more_sooner_and_takes_no_longer(simulate):
    figures = medians(simulate("--images", 100, "--rate", 5, "--seeds", 3, "--json"))
    assert list(figures) == POLICIES
    for other in POLICIES[1:]:
        assert figures["phases"]["head_max_s"] < figures[other]["head_max_s"] / 2
        assert figures["phases"]["speed_index_s"] < figures[other]["speed_index_s"]
        assert figures["phases"]["end_s"] == pytest.approx(figures[other]["end_s"], rel=0.02)


def test_a_deep_buffer_loses_the_order(simulate):
    arguments = ["--policy", "phases", "--json"]
    shallow = medians(simulate(*arguments))["phases"]
    deep = medians(simulate(*arguments, "--buffer", "10MiB"))["phases"]
    assert deep["late_head_s"] > 3 * shallow["late_head_s"]


def test_blocked_images_do_not_hold_up_the_others(simulate):
    figures = medians(simulate("--blocked", "0.1", "--images", 50, "--json"))
    assert figures["phases"]["first_median_s"] < figures["fifo"]["first_median_s"]


def test_each_image_is_written_as_csv_and_svg(simulate, folder):
    done = simulate("--policy", "phases", "--policy", "fifo", "--images", 7, "--csv", "a.csv", "--plot", "a.svg", cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((folder / "a.csv").open()))
    assert [row["policy"] for row in rows] == ["phases"] * 8 + ["fifo"] * 8
    for row in rows:
        times = [float(row[column]) for column in ("requested_s", "head_s", "first_s", "good_s", "full_s")]
        assert times == sorted(times)
    picture = xml.etree.ElementTree.parse(folder / "a.svg").getroot()
    assert len(picture.findall(f".//{SVG}circle")) >= 2 * 8 * 4
    text = " ".join(element.text or "" for element in picture.iter(f"{SVG}text"))
    for name in ("image, phases", "image, fifo", "seen", "head", "full"):
        assert name in text


def test_the_late_image_can_be_left_out(simulate):
    done = simulate("--no-late", "--json")
    assert not any(key.startswith("late") for key in medians(done)["phases"])
    assert b"late" not in simulate("--no-late").stdout


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["--policy", "best"], "--policy"),
        (["--images", "0"], "--images"),
        (["--images", "5000"], "--images"),
        (["--rate", "0"], "--rate"),
        (["--size", "tiny"], "--size"),
        (["--size", "1kB"], "--size"),
        (["--blocked", "2"], "--blocked"),
        (["--round-trip", "50"], "--round-trip"),
        (["--buffer", "2TB"], "--buffer"),
        (["--seeds", "0"], "--seeds"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_a_wrong_argument_is_named(simulate, arguments, named):
    done = simulate(*arguments)
    assert done.returncode == 2
    assert named in done.stderr.decode()
    assert done.stdout == b""


def test_a_file_that_cannot_be_written_is_an_error(simulate, folder):
    done = simulate("--plot", folder / "none" / "a.svg")
    assert done.returncode == 1
    assert "a.svg" in done.stderr.decode()


def test_help_has_examples(simulate):
    done = simulate("--help")
    assert done.returncode == 0
    assert "optimux h2 simulate --images 100" in done.stdout.decode() and "exit codes" in done.stdout.decode()
    assert run("h2").returncode == 2
