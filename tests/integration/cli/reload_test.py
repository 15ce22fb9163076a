"""SIGHUP: what a running server takes over, and what it says of the rest."""

import signal

import pytest

from support.server import Optimux
from support.waiting import eventually


@pytest.fixture
def server(folder, quarters):
    (folder / "my.toml").write_text("image_workers_max = 3\n")
    (folder / "root").mkdir()
    (folder / "root/quarters.png").write_bytes(quarters.read_bytes())
    with Optimux(folder / "root", folder / "log", config=folder / "my.toml") as server:
        yield server


def reload(server, text: str, said: str):
    """Changes the file, sends the signal and waits for the log to say so."""
    before = len(server.read_log())
    (server.log.parent / "my.toml").write_text(text)
    server.signal(signal.SIGHUP)
    eventually(lambda: said in server.read_log()[before:], f"the log says {said}")
    return server.read_log()[before:]


def test_limits_of_the_pool_are_taken_over(server):
    assert server.image_pool()["workers_max"] == 3
    log = reload(server, "image_workers_max = 2\n", "configuration reloaded")
    assert "key=image_workers_max from=3 to=2" in log
    assert server.image_pool()["workers_max"] == 2


def test_what_needs_a_restart_is_named_each_time(server):
    for _ in range(2):
        log = reload(server, "image_workers_max = 3\nmax_frames = 5\n", "configuration reloaded")
        assert 'event="option needs a restart" key=max_frames from=256 to=5' in log
    assert "option changed" not in server.read_log()


def test_the_log_level_is_taken_over(server):
    reload(server, 'image_workers_max = 3\nlog_level = "debug"\n', "key=log_level from=info to=debug")
    assert server.get("/health").status == 200


def test_a_wrong_file_changes_nothing_and_all_its_problems_are_named(server):
    log = reload(server, "image_workers_max = 1\ncolour = 'red'\nimage_queue = 0\n", "image_queue: 0 is out of range")
    assert "my.toml:2: colour: unknown option" in log
    assert "my.toml:3: image_queue: 0 is out of range" in log
    assert server.image_pool()["workers_max"] == 3


def test_a_flag_stays_stronger_than_the_file(server):
    log = reload(server, "image_workers_max = 3\nroot = 'elsewhere'\n", "configuration reloaded")
    assert 'event="configuration reloaded" changed=0' in log
