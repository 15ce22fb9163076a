"""`optimux pool size`, `sweep` and `shapes`. No test depends on how fast anything is."""

import copy
import json

import pytest

from cli.command import run
from support.server import Optimux


def size(*arguments):
    done = run("pool", "size", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "arguments, workers",
    [
        (["--rate", "2000", "--latency", "50ms", "--headroom", "1.5"], 150),
        (["--rate", "2000", "--latency", "50ms", "--headroom", "1.5", "--limit", "64"], 64),
        (["--rate", "300", "--latency", "200ms", "--headroom", "1.25"], 75),
        (["--rate", "2000", "--latency", "50ms"], 150),
    ],
)
def test_size_follows_littles_law(arguments, workers):
    assert size(*arguments)["workers"] == workers


def test_size_says_that_a_rate_is_out_of_reach():
    answer = size("--rate", "2000", "--latency", "50ms", "--limit", "64")
    assert answer["is_limited"] and not answer["is_reachable"]
    assert answer["reachable_rate"] == 1280
    text = run("pool", "size", "--rate", "2000", "--latency", "50ms", "--limit", "64").stdout.decode()
    assert text.startswith("64 workers\n")
    assert "out of reach" in text and "image_workers_max = 64" in text


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["size"], "--rate is required"),
        (["size", "--rate", "5", "--latency", "50"], "--latency"),
        (["size", "--rate", "0", "--latency", "50ms"], "--rate must be above 0"),
        (["size", "--rate", "2k", "--latency", "50ms"], "--rate: '2k' is not a number"),
        (["size", "--rate", "5", "--latency", "50ms", "--headroom", "0.5"], "--headroom must be"),
        (["size", "--rate", "5", "--latency", "50ms", "--limit", "0"], "--limit must be from 1"),
        (["sweep"], "one of --job and --from"),
        (["sweep", "--jobs", "burn:1"], "did you mean '--job'?"),
        (["sweep", "--job", "paint:1"], "--job: must begin with burn:"),
        (["sweep", "--job", "exec:'a"], "a quote is not closed"),
        (["sweep", "--job", "burn:1", "--sizes", "1,2"], "--sizes must be at least three"),
        (["sweep", "--job", "burn:1", "--sizes", "1,,2"], "--sizes: '' is no pool size"),
        (["sweep", "--job", "burn:1", "--sizes", "0,1"], "--sizes: '0' is no pool size"),
        (["sweep", "--job", "burn:1", "--rounds", "2"], "--rounds must be"),
        (["sweep", "--job", "burn:1", "--rounds", "9" * 30], f"--rounds: '{'9' * 30}' is not a number in its range"),
        (["sweep", "--job", "burn:1", "--time", "1"], "--time"),
        (["shapes", "--only", "circle"], "no shape 'circle'"),
        (["shapes", "--process", "exec:true"], "--fetch and --process take"),
        (["shapes", "--image", "a.jpg", "--process", "burn:1"], "excludes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_understood_has_its_exit_code_and_says_why(arguments, said):
    done = run("pool", *arguments)
    assert done.returncode == (64 if arguments[0] == "sweep" else 2)
    assert said in done.stderr.decode()
    assert done.stdout == b""


def test_sweep_measures_a_real_pool(tmp_path):
    plot = tmp_path / "sweep.svg"
    done = run("pool", "sweep", "--job", "burn:20000", "--sizes", "1,2,3", "--rounds", "3", "--time", "2ms", "--json",
               "--plot", plot)
    assert done.returncode in (0, 2, 3), done.stderr
    report = json.loads(done.stdout)
    assert {1, 2, 3} <= {point["workers"] for point in report["points"]}
    assert all(len(point["rates"]) == 3 and min(point["rates"]) > 0 for point in report["points"])
    assert report["batched"]["batch"] > 1
    codes = {"plateau": 0, "still rising": 2, "too noisy": 3}
    answered = report["analysis"]["is_answered"]
    assert done.returncode == (0 if answered else codes[report["analysis"]["verdict"]])
    assert (report["advice"]["settings"] != "") == answered
    assert b"<svg" in plot.read_bytes()


def recorded(rates, cpus=4, wall=640e-6, cpu=640e-6):
    """The JSON of a sweep with these figures: size -> one rate per round."""
    return {
        "job": "burn:2000000",
        "cpus": cpus,
        "cpu_source": "affinity",
        "alone": {"wall_seconds": wall, "cpu_seconds": cpu},
        "points": [{"workers": n, "rates": rounds, "cpu_busy": min(1, n / cpus)} for n, rounds in rates.items()],
        "batched": None,
        "failed_jobs": 0,
    }


def analysed(folder, document, *arguments):
    path = folder / "sweep.json"
    path.write_text(json.dumps(document))
    return run("pool", "sweep", "--from", path, *arguments)


def steady(rate):
    return [rate * 0.995, rate, rate * 1.005]


PLATEAU = recorded({n: steady(1500 * min(n, 4)) for n in (1, 2, 4, 8, 16)})
RISING = recorded({n: steady(900 * n) for n in (1, 10, 100)}, wall=1.1e-3, cpu=1e-5)
NOISY = recorded({n: [500 * n, 1000 * n, 1500 * n] for n in (1, 2, 4, 8)})


@pytest.mark.parametrize(
    "document, code, verdict, said",
    [
        (PLATEAU, 0, "plateau", "4 workers: the smallest size on the plateau, and the number of usable CPUs"),
        (RISING, 2, "still rising", "Still rising at 100 workers: no plateau in range"),
        (NOISY, 3, "too noisy", "Too noisy: no recommendation"),
    ],
    ids=["plateau", "rising", "noisy"],
)
def test_the_exit_code_is_the_verdict(tmp_path, document, code, verdict, said):
    done = analysed(tmp_path, document)
    assert done.returncode == code
    assert said in done.stdout.decode()
    assert json.loads(analysed(tmp_path, document, "--json").stdout)["analysis"]["verdict"] == verdict


def test_short_jobs_are_told_to_come_in_batches(tmp_path):
    document = recorded({n: steady(71_000 * min(n, 4)) for n in (1, 2, 4, 8)}, wall=7e-6, cpu=7e-6)
    document["batched"] = {"workers": 4, "batch": 143, "rates": steady(560_000)}
    done = analysed(tmp_path, document, "--json")
    report = json.loads(done.stdout)
    assert report["analysis"]["bottleneck"] == "hand-off"
    assert report["analysis"]["workers"] == 4
    assert report["analysis"]["hand_off"]["advised_batch"] > 1
    assert report["advice"]["headline"].startswith("Hand-off bound: batch ")


def test_a_hand_off_beyond_all_noise_is_an_answer_for_computing_jobs_alone(tmp_path):
    noisy = {n: [50_000 * min(n, 4) * f for f in (0.9, 1, 1.1)] for n in (1, 2, 4, 8)}
    batched = {"workers": 4, "batch": 143, "rates": steady(560_000)}
    computing = recorded(noisy, wall=7e-6, cpu=7e-6) | {"batched": batched}
    done = analysed(tmp_path, computing, "--json")
    report = json.loads(done.stdout)
    assert report["analysis"]["verdict"] == "too noisy" and report["analysis"]["bottleneck"] == "hand-off"
    assert done.returncode == 0 and "batching_worker" in report["advice"]["settings"]
    waiting = analysed(tmp_path, recorded(noisy, wall=7e-6, cpu=3e-6) | {"batched": batched}, "--json")
    report = json.loads(waiting.stdout)
    assert waiting.returncode == 3 and report["advice"]["settings"] == ""
    assert "measure again. Too noisy" in report["advice"]["headline"]


def test_a_recording_that_was_tampered_with_is_refused(tmp_path):
    broken = copy.deepcopy(PLATEAU)
    del broken["points"][0]["rates"]
    done = analysed(tmp_path, broken)
    assert done.returncode == 64 and b"no output of --json" in done.stderr
    few = copy.deepcopy(PLATEAU)
    few["points"] = few["points"][:2]
    assert b"sizes must be at least three" in analysed(tmp_path, few).stderr


def test_a_program_that_fails_is_exit_code_1():
    done = run("pool", "sweep", "--job", "exec:false", "--sizes", "1,2,3", "--rounds", "3", "--time", "1ms")
    assert done.returncode == 1
    assert b"false ended with code 1" in done.stderr


def test_another_machine_is_refused():
    done = run("pool", "sweep", "--job", "url:http://192.0.2.1:9/", "--sizes", "1,2,3")
    assert done.returncode == 1
    assert b"--i-own-this-host" in done.stderr


def test_shapes_runs_all_nine(tmp_path):
    plot = tmp_path / "shapes.svg"
    done = run("pool", "shapes", "--fetch", "burn:10", "--process", "burn:100", "--requests", "10", "--rounds", "1",
               "--json", "--plot", plot)
    assert done.returncode == 0, done.stderr
    shapes = json.loads(done.stdout)["shapes"]
    assert len(shapes) == 9
    for shape in shapes:
        assert shape["rate"] > 0
        assert 0 <= shape["blocked_share"] <= 1
        assert 0 < shape["latency_seconds"]["p50"] <= shape["latency_seconds"]["p99"]
    assert b"<svg" in plot.read_bytes()


def test_shapes_works_on_a_real_picture(quarters):
    done = run("pool", "shapes", "--image", quarters, "--fetch", "sleep:1us", "--only", "early-flush,scaler",
               "--requests", "4", "--rounds", "1", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [shape["shape"] for shape in report["shapes"]] == ["early-flush", "scaler"]
    assert report["work"].endswith("quarters.png")


def test_shapes_says_what_is_wrong_with_a_picture(tmp_path):
    (tmp_path / "no.jpg").write_bytes(b"no picture")
    done = run("pool", "shapes", "--image", tmp_path / "no.jpg", "--fetch", "sleep:1us", "--requests", "2")
    assert done.returncode == 1 and done.stderr != b""
    assert run("pool", "shapes", "--image", tmp_path / "none.jpg").returncode == 1


def test_advise_asks_where_the_flag_or_else_the_variable_says(tmp_path):
    (tmp_path / "root").mkdir()
    socket = tmp_path / "admin.sock"
    with Optimux(tmp_path / "root", tmp_path / "log", admin=f"unix:{socket}") as server:
        for done in (
            run("pool", "advise", "--admin", f"unix:{socket}"),
            run("pool", "advise", environment={"OPTIMUX_ADMIN": f"unix:{socket}"}),
        ):
            assert done.returncode == 0, done.stderr
            assert done.stdout.startswith(b"image: ")
        elsewhere = run("pool", "advise", "--admin", "127.0.0.1:1", environment={"OPTIMUX_ADMIN": f"unix:{socket}"})
        assert elsewhere.returncode == 1
    gone = run("pool", "advise", "--admin", f"unix:{socket}")
    assert gone.returncode == 1 and f"unix:{socket}: ".encode() in gone.stderr


def test_advise_needs_a_server():
    done = run("pool", "advise", "--admin", "http://127.0.0.1:1")
    assert done.returncode == 1
    assert b"http://127.0.0.1:1/pools" in done.stderr
