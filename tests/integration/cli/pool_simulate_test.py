"""`optimux pool simulate`: policies on loads, in virtual time and on a real pool."""

import csv
import json
import xml.etree.ElementTree

import pytest

from cli.command import run

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def simulate():
    def run_simulate(*arguments, **options):
        return run("pool", "simulate", *arguments, **options)

    return run_simulate


@pytest.fixture
def trace(folder):
    """Six jobs of 2 s that arrive within a second, and one a minute later."""
    path = folder / "trace.csv"
    lines = ["arrival_s,cpu_s,wait_s"] + [f"{i / 10},2,0" for i in range(6)] + ["60,2,0"]
    path.write_text("\n".join(lines))
    return path


def test_a_trace_gives_the_figures_that_can_be_worked_out_by_hand(simulate, trace):
    done = simulate("--load", trace, "--policy", "fixed:1", "--cpus", 2, "--json")
    assert done.returncode == 0, done.stderr
    [pool] = json.loads(done.stdout)["pools"]
    [figures] = pool["runs"]
    assert figures["done"] == 7 and figures["refused"] == 0 and figures["reversals"] == 0
    # The fourth of seven waits: 0, 0, 1.9, 3.8, 5.7, 7.6, 9.5.
    assert figures["wait_p50_s"] == pytest.approx(3.8)
    assert figures["wait_p99_s"] == pytest.approx(9.5)
    assert figures["worker_seconds_per_job"] == pytest.approx(62 / 7)
    assert pool["summary"]["wait_p99_s"] == {"median": figures["wait_p99_s"], "low": figures["wait_p99_s"],
                                             "high": figures["wait_p99_s"]}


def test_all_policies_are_compared_with_and_without_a_gate(simulate, folder):
    arguments = ["--load", "burst", "--time-scale", "0.1", "--policy", "all", "--seeds", "2"]
    done = simulate(*arguments)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "load burst, gate cpu(1)" in text and "load burst, gate none" in text and "medians of 2 seeds" in text
    for policy in ("little", "queue-length", "spawn-on-submit", "spawn-on-submit:60s", "fixed:8"):
        assert text.count(f"\n{policy} ") == 2
    assert simulate(*arguments).stdout == done.stdout, "a seed gives the same bytes"
    assert simulate(*arguments, "--seed", 7).stdout != done.stdout
    assert done.stderr == b""


def test_curves_are_written_as_csv_and_svg(simulate, folder):
    done = simulate("--load", "step", "--time-scale", "0.1", "--policy", "little", "--policy", "queue-length", "--gate",
                    "cpu", "--csv", "a.csv", "--plot", "a.svg")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((folder / "a.csv").open()))
    assert {row["run"] for row in rows} == {"little", "queue-length"}
    assert max(int(row["workers"]) for row in rows) <= 8
    little = [row for row in rows if row["run"] == "little"]
    assert [float(row["time_s"]) for row in little] == [i / 2 for i in range(len(little))]
    root = xml.etree.ElementTree.parse(folder / "a.svg").getroot()
    texts = [text.text for text in root.iter(f"{SVG}text")]
    for expected in ("Load step", "workers", "queue (jobs)", "longest wait (s)", "time (s)", "little", "queue-length"):
        assert expected in texts
    assert len(list(root.iter(f"{SVG}clipPath"))) == 3


def test_a_replay_lays_a_real_pool_over_the_simulated_one(simulate, folder):
    done = simulate("--load", "burst", "--time-scale", "0.004", "--service-time", "1ms+4ms", "--policy", "little",
                    "--replay", "--plot", "a.svg")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == ["reversals", "simulated", "replayed", "difference"]
    titles = lines[0].split("  ")
    assert any("worker-s/job" in title for title in titles)
    texts = [text.text for text in xml.etree.ElementTree.parse(folder / "a.svg").getroot().iter(f"{SVG}text")]
    assert "simulated" in texts and "replayed" in texts


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--load", "wave"], "--load 'wave' is neither step, burst, sawtooth, diurnal nor all"),
        (["--policy", "best"], "allowed: little, queue-length"),
        (["--policy", "fixed:100"], "max_workers (32)"),
        (["--gate", "slots:100"], "gate.slots"),
        (["--gate", "door"], "allowed: none, cpu"),
        (["--service-time", "5"], "--service-time '5'"),
        (["--service-time", "0ms+5ms"], "CPU time of a job, above 0"),
        (["--service-time", "1us"], "more than ten million jobs"),
        (["--cpus", "-1"], "--cpus"),
        (["--cpus", "0"], "--cpus must be from 1"),
        (["--max-workers", "0"], "max_workers must be from 1"),
        (["--min-workers", "5", "--max-workers", "2"], "min_workers 5 is above max_workers (2)"),
        (["--queue", "0"], "queue_capacity must be from 1"),
        (["--queue", "-1"], "must not be negative"),
        (["--seed", "-1"], "must not be negative"),
        (["--policy", "fixed:100"], "policy.workers 100 is not within min_workers (1) and max_workers (32), in fixed:100"),
        (["--seeds", "0"], "--seeds must be from 1"),
        (["--time-scale", "0"], "--time-scale must be above 0"),
        (["--max-workers", "-2"], "max_workers"),
        (["--load", "all", "--plot", "a.svg"], "--plot and --csv need one load"),
        (["--policy", "all", "--replay"], "--replay needs one load"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_simulated_is_refused_with_what_is_allowed(simulate, folder, arguments, said):
    done = simulate(*arguments)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr.decode()
    assert done.stdout == b""
    assert list(folder.iterdir()) == []


def test_a_wrong_line_of_a_trace_is_named(simulate, trace):
    trace.write_text("0,1\n1,one\n")
    done = simulate("--load", trace)
    assert done.returncode == 2
    assert "line 2 must hold" in done.stderr.decode()


def test_a_file_that_cannot_be_written_is_a_failure(simulate, folder):
    done = simulate("--load", "step", "--time-scale", "0.1", "--plot", "no/such/folder.svg")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr.decode()
