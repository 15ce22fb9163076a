"""Renditions on disk: the same after a restart without a fetch or a decode, and never a wrong one whatever happens."""

import concurrent.futures
import os
import pathlib
import random
import signal
import subprocess

import pytest

from support import client, media
from support.renditions import lasting, place, targets
from support.waiting import eventually

# How many renditions there are, and how often the server is killed.
RENDITIONS = int(os.environ.get("OPTIMUX_TEST_RENDITIONS", "1000"))
KILLS = int(os.environ.get("OPTIMUX_TEST_KILLS", "20"))


def tier(server, what: str) -> float:
    return server.metrics().value(f"optimux_tier_{what}", tier="disk")


def files_of(folder: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def await_stored(server, count: int):
    eventually(lambda: tier(server, "stored_total") + tier(server, "skipped_total") >= count, f"{count} are stored")


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def start(start_server, cache):
    """Starts servers with the cache, however full the disk of this machine is."""
    return lambda **options: start_server(**{"cache_dir": cache, "disk_cache_min_free": "0B"} | options)


def test_the_same_requests_twice_and_after_a_restart_are_fetched_and_made_once(start, origin, root):
    asked, allow = targets(RENDITIONS, origin, root), f"{origin.host}/32"
    server = start(allow_source=allow)
    first = [server.get(target) for target in asked]
    assert {response.status for response in first} == {200}
    server.await_idle()
    fetched, metrics = origin.hits(), server.metrics()
    second = [server.get(target) for target in asked]
    assert {place(response) for response in second} == {"hit"}
    await_stored(server, RENDITIONS)
    assert server.renders() == RENDITIONS == metrics.value("optimux_renders_total")
    fetches = metrics.value("optimux_source_fetches_total")
    assert 0 < fetches == server.metrics().value("optimux_source_fetches_total")
    assert server.terminate() == 0

    server = start(allow_source=allow)
    third = [server.get(target) for target in asked]
    assert {place(response) for response in third} == {"disk"}
    assert server.renders() == 0
    metrics = server.metrics()
    assert metrics.value("optimux_source_fetches_total") == 0
    assert metrics.value("optimux_tier_hits_total", tier="disk") == RENDITIONS
    assert metrics.value("optimux_cache_misses_total") == 0
    assert origin.hits() == fetched
    for one, two, three in zip(first, second, third):
        assert lasting(one) == lasting(two) == lasting(three)
    assert {place(server.get(target)) for target in asked[:20]} == {"hit"}, "now in memory"


def test_progressive_answers_over_a_restart_are_the_same(start):
    target = client.asset(media.PHOTO, sizes="300x0", format="jpeg", encoder="progress")
    server = start()
    first = server.get(target)
    await_stored(server, 1)
    assert server.terminate() == 0
    again = start().get(target)
    assert place(again) == "disk" and lasting(again) == lasting(first)


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
    all_targets, chance = targets(RENDITIONS), random.Random(9)
    server = start_server()
    right = dict(zip(all_targets, (lasting(server.get(target)) for target in all_targets)))
    new_ones = RENDITIONS // KILLS

    def ask(running, target):
        try:
            return lasting(running.get(target)) == right[target]
        except (OSError, client.Truncated):
            return None  # killed before the end of the answer, and it shows

    for begin in range(0, KILLS * new_ones, new_ones):
        server = start(memory_cache="0B")
        asked = all_targets[begin:] + all_targets[:begin]
        moment = chance.randrange(1, new_ones)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(ask, server, target) for target in asked]
            eventually(lambda: tier(server, "stored_total") >= moment or all(a.done() for a in answers), "it stores")
            server.process.send_signal(signal.SIGKILL)
            outcomes = [answer.result() for answer in answers]
        assert server.wait() == -signal.SIGKILL
        assert False not in outcomes
        assert True in outcomes and None in outcomes, "in the middle"
        server = start()
        eventually(lambda: not files_of(cache / "renditions" / "tmp"), "what was half-written is gone")
        assert all(ask(server, target) for target in asked[: 2 * new_ones : 5])
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
    assert place(again) == "miss" and lasting(again) == lasting(first)
    assert tier(server, "damaged_total") == 1


def test_folder_that_vanishes_is_no_error(start, cache):
    server = start(memory_cache="0B")
    subprocess.run(["rm", "-rf", cache], check=True)
    assert {server.get(target).status for target in targets(20)} == {200}
    await_stored(server, 20)
    assert {place(server.get(target)) for target in targets(20)} == {"disk"}


def test_two_servers_share_a_folder(start):
    target = client.asset(media.PHOTO, sizes="303x0", format="webp")
    one, other = (start() for _ in range(2))
    first = one.get(target)
    await_stored(one, 1)
    again = other.get(target)
    assert place(again) == "disk" and lasting(again) == lasting(first)


def test_cache_is_bounded(start, cache):
    server = start(disk_cache="1MiB", memory_cache="0B")
    targets = [client.asset(media.PHOTO, sizes=f"{400 + index}x0", format="jpeg", quality=95) for index in range(60)]
    assert {server.get(target).status for target in targets} == {200}
    await_stored(server, 60)
    assert tier(server, "evictions_total") > 0
    assert 0 < sum(path.stat().st_size for path in files_of(cache)) <= 1 << 20


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder]).returncode != 0:
        pytest.skip("no right to mount a file system of 1 MB")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_full_disk_is_no_error(start, small_disk):
    server = start(cache_dir=small_disk, memory_cache="0B")
    asked = [client.asset(media.QUARTERS_JPEG, sizes=f"{200 + index}x0", quality=95) for index in range(200)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert {response.status for response in pool.map(server.get, asked * 3)} == {200}
    await_stored(server, 1)
    assert tier(server, "evictions_total") > 0, "it was full"
    assert server.terminate() == 0


def test_disk_that_turns_read_only_is_no_error(start, small_disk):
    server = start(cache_dir=small_disk, memory_cache="0B")
    kept = client.asset(media.QUARTERS_JPEG, sizes="199x0", format="webp")
    first = server.get(kept)
    await_stored(server, 1)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    again = server.get(kept)
    assert place(again) == "disk" and lasting(again) == lasting(first)
    assert {server.get(target).status for target in targets(20)} == {200}
    eventually(lambda: tier(server, "faults_total") > 0, "it is counted")
    assert server.terminate() == 0


def test_folder_that_cannot_be_one_is_refused_at_the_start(start, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(AssertionError, match="cache_dir: the folder .*file/renditions' cannot be used"):
        start(cache_dir=tmp_path / "file")
