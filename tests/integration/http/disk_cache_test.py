"""Renditions on disk: the same after a restart without a fetch or a decode, and never a wrong one whatever happens."""

import concurrent.futures
import os
import pathlib
import signal
import subprocess

import pytest

from support import client, media
from support.waiting import eventually

# What may differ between two answers with the same rendition.
PASSING_FIELDS = {"age", "server-timing", "x-request-id", "date", "transfer-encoding", "content-length"}


def lasting(response) -> tuple:
    fields = [(name.lower(), value) for name, value in response.headers if name.lower() not in PASSING_FIELDS]
    return response.status, sorted(fields), response.body


def outcome(response) -> str:
    return response.header("Server-Timing").split(";desc=")[1].split(",")[0]


def tier(server, what: str) -> float:
    return server.metrics().value(f"optimux_tier_{what}", tier="disk")


def files_of(folder: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def await_stored(server, count: int):
    eventually(lambda: tier(server, "stored_total") + tier(server, "skipped_total") >= count, f"{count} are stored")


def requests(number: int) -> list[str]:
    names = [media.QUARTERS_PNG, media.QUARTERS_JPEG]
    formats = ["jpeg", "webp", "png"]
    targets = [
        client.asset(names[index % 2], sizes=f"{20 + index // 2}x0", format=formats[index % 3]) for index in range(number)
    ]
    targets[-1] = f"/optimux/info/{media.QUARTERS_JPEG}"
    return targets


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def start(start_server, cache):
    """Starts servers with the cache, however full the disk of this machine is."""
    return lambda **options: start_server(**{"cache_dir": cache, "disk_cache_min_free": "0B"} | options)


def test_the_same_300_requests_twice_and_after_a_restart_are_made_once(start):
    targets = requests(300)
    server = start()
    first = [server.get(target) for target in targets]
    assert {response.status for response in first} == {200}
    server.await_idle()
    second = [server.get(target) for target in targets]
    assert {outcome(response) for response in second} == {"hit"}
    await_stored(server, 300)
    assert server.renders() == 300
    assert server.terminate() == 0

    server = start()
    third = [server.get(target) for target in targets]
    assert {outcome(response) for response in third} == {"disk"}
    assert server.renders() == 0
    metrics = server.metrics()
    assert metrics.value("optimux_source_fetches_total") == 0
    assert metrics.value("optimux_tier_hits_total", tier="disk") == 300
    assert metrics.value("optimux_cache_misses_total") == 0
    for one, two, three in zip(first, second, third):
        assert lasting(one) == lasting(two) == lasting(three)
    assert {outcome(server.get(target)) for target in targets[:20]} == {"hit"}, "now in memory"


def test_progressive_answers_over_a_restart_are_the_same(start):
    target = client.asset(media.PHOTO, sizes="300x0", format="jpeg", encoder="progress")
    server = start()
    first = server.get(target)
    await_stored(server, 1)
    assert server.terminate() == 0
    again = start().get(target)
    assert outcome(again) == "disk" and lasting(again) == lasting(first)


def test_conditional_requests_are_met_from_disk(start):
    target = client.asset(media.PHOTO, sizes="301x0", format="webp")
    server = start()
    first = server.get(target)
    await_stored(server, 1)
    assert server.terminate() == 0
    server = start()
    again = server.get(target, If_None_Match=first.header("ETag"))
    assert again.status == 304 and again.header("ETag") == first.header("ETag")
    assert server.renders() == 0


def test_killed_in_the_middle_it_never_gives_a_wrong_answer(start_server, start, cache):
    targets = requests(200)
    server = start_server()
    right = dict(zip(targets, (lasting(server.get(target)) for target in targets)))

    def ask(running, target):
        try:
            return lasting(running.get(target)) == right[target]
        except (OSError, client.Truncated):
            return None  # killed before the end of the answer, and it shows

    for round_number in range(5):
        server = start(memory_cache="0B")
        asked = targets[round_number * 30 :] + targets[: round_number * 30]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(ask, server, target) for target in asked]
            eventually(lambda: tier(server, "stored_total") >= 10 or all(a.done() for a in answers), "some are stored")
            server.process.send_signal(signal.SIGKILL)
            outcomes = [answer.result() for answer in answers]
        assert server.wait() == -signal.SIGKILL
        assert False not in outcomes
        assert True in outcomes
        server = start()
        eventually(lambda: not files_of(cache / "renditions" / "tmp"), "what was half-written is gone")
        assert all(ask(server, target) for target in asked[::10])
        assert tier(server, "damaged_total") == 0
        assert server.terminate() == 0


def test_file_that_was_changed_is_a_miss_and_deleted(start, cache):
    target = client.asset(media.PHOTO, sizes="302x0", format="webp")
    server = start()
    first = server.get(target)
    await_stored(server, 1)
    assert server.terminate() == 0
    (path,) = files_of(cache)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    server = start()
    again = server.get(target)
    assert outcome(again) == "miss" and lasting(again) == lasting(first)
    assert tier(server, "damaged_total") == 1


def test_folder_that_vanishes_is_no_error(start, cache):
    server = start(memory_cache="0B")
    subprocess.run(["rm", "-rf", cache], check=True)
    assert {server.get(target).status for target in requests(20)} == {200}
    await_stored(server, 20)
    assert {outcome(server.get(target)) for target in requests(20)} == {"disk"}


def test_two_servers_share_a_folder(start):
    target = client.asset(media.PHOTO, sizes="303x0", format="webp")
    one, other = (start() for _ in range(2))
    first = one.get(target)
    await_stored(one, 1)
    again = other.get(target)
    assert outcome(again) == "disk" and lasting(again) == lasting(first)


def test_cache_is_bounded(start, cache):
    server = start(disk_cache="1MiB", memory_cache="0B")
    targets = [client.asset(media.PHOTO, sizes=f"{400 + index}x0", format="jpeg", quality=95) for index in range(60)]
    assert {server.get(target).status for target in targets} == {200}
    await_stored(server, 60)
    assert tier(server, "evictions_total") > 0
    assert 0 < sum(path.stat().st_size for path in files_of(cache)) <= 1 << 20


def test_full_disk_is_no_error(start, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder]).returncode != 0:
        pytest.skip("no right to mount a file system of 1 MB")
    try:
        server = start(cache_dir=folder, memory_cache="0B")
        targets = [client.asset(media.PHOTO, sizes=f"{500 + index}x0", format="jpeg", quality=95) for index in range(60)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert {response.status for response in pool.map(server.get, targets * 2)} == {200}
        await_stored(server, 1)
        assert tier(server, "evictions_total") > 0, "it was full"
        assert server.terminate() == 0
    finally:
        subprocess.run(["umount", folder], check=True)


def test_folder_that_cannot_be_one_is_refused_at_the_start(start, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(AssertionError, match="cache_dir: the folder .*file/renditions' cannot be used"):
        start(cache_dir=tmp_path / "file")
