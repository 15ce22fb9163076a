"""`optimux config`, and where a configuration comes from."""

import json
import resource
import socket

import pytest

from cli.command import run


def effective(*arguments, environment=None) -> dict:
    done = config("--json", *arguments, environment=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def config(*arguments, environment=None):
    return run("config", *arguments, environment=environment)


def test_the_defaults_are_a_valid_file_that_changes_nothing(folder):
    (folder / "all.toml").write_bytes(run("config", "--defaults").stdout)
    checked = config("--check", "--config", "all.toml")
    assert (checked.returncode, checked.stdout) == (0, b"the configuration is valid\n")
    plain, read = effective(), effective("--config", "all.toml")
    assert {key: entry["value"] for key, entry in plain.items()} == {key: entry["value"] for key, entry in read.items()}
    assert {entry["origin"] for entry in plain.values()} == {"default"}
    assert {entry["origin"] for entry in read.values()} == {"file"}


def test_what_is_printed_can_be_read_again(folder):
    (folder / "now.toml").write_bytes(config("--listen", "127.0.0.1:1", "--root", 'a "b"').stdout)
    read = effective("--config", "now.toml")
    assert read["listen"]["value"] == ["127.0.0.1:1"]
    assert read["root"]["value"] == 'a "b"'


def test_a_flag_is_stronger_than_a_variable_and_a_variable_than_the_file(folder, monkeypatch):
    (folder / "my.toml").write_text("\nimage_queue = 10\nmemory_cache = '1MiB'\nmax_frames = 5\n")
    environment = {"OPTIMUX_IMAGE_QUEUE": "20", "OPTIMUX_MEMORY_CACHE": "2MiB"}
    read = effective("--config", "my.toml", "--image-queue", "30", environment=environment)
    assert read["max_frames"] == {"value": 5, "origin": "file", "place": "my.toml:4"}
    assert read["memory_cache"] == {"value": 2 << 20, "origin": "environment", "place": "OPTIMUX_MEMORY_CACHE"}
    assert read["image_queue"] == {"value": 30, "origin": "flag", "place": "--image-queue"}


def test_an_empty_value_is_not_the_next_flag():
    read = effective("--admin=", "--image-queue", "30", "--listen=", "--listen-tls", "1", "--tls-certificate", "a.pem")
    assert read["admin"] == {"value": "", "origin": "flag", "place": "--admin"}
    assert read["image_queue"]["value"] == 30
    assert (read["listen"]["value"], read["listen_tls"]["value"]) == ([], ["1"])


def test_the_file_may_be_named_by_a_variable(folder):
    (folder / "my.toml").write_text("docs = false\n")
    assert effective(environment={"OPTIMUX_CONFIG": "my.toml"})["docs"]["value"] is False


@pytest.mark.parametrize(
    "line, said",
    [
        ("lisen = ['127.0.0.1:1']", "lisen: unknown option; did you mean 'listen'?"),
        ("image_queue = 0", "image_queue: 0 is out of range: expected 1 to 1000000"),
        ("image_queue = 'many'", "image_queue: wrong type: expected a whole number"),
        ("idle_timeout = 5", "idle_timeout: wrong type: expected a duration"),
        ("idle_timeout = '5 apples'", "idle_timeout: '5 apples' is not a duration"),
        ("log_format = 'xml'", "log_format: 'xml' is not allowed: expected text or json"),
        ("listen = ['nowhere']", "listen: 'nowhere' is not allowed: expected ADDRESS:PORT"),
        ("docs = ", ""),
    ],
)
@pytest.mark.parametrize("command", [["config", "--check"], ["serve"], ["transform", "a.jpg", "-o", "b.webp"]])
def test_a_wrong_file_is_exit_code_3_and_the_line_is_named(folder, command, line, said):
    (folder / "my.toml").write_text("# a comment\n" + line + "\n")
    done = run(*command, "--config", "my.toml")
    assert done.returncode == 3
    assert done.stdout == b""
    assert done.stderr.decode().startswith("optimux: my.toml:2: " + said), done.stderr


def test_a_wrong_variable_and_a_wrong_flag_are_named_with_all_other_problems(folder):
    done = config("--image-queue", "0", environment={"OPTIMUX_DOCS": "perhaps"})
    assert done.returncode == 3
    assert done.stderr.decode().splitlines() == [
        "optimux: OPTIMUX_DOCS: docs: 'perhaps' is not a truth value: expected true or false",
        "optimux: --image-queue: image_queue: 0 is out of range: expected 1 to 1000000",
    ]


@pytest.mark.parametrize(
    "flags, said",
    [
        (
            ["--image-workers-min", "5", "--image-workers-max", "4"],
            "image_workers_min: 5 is more than image_workers_max",
        ),
        (["--admin", "0.0.0.0:8812"], "admin: '0.0.0.0:8812' can be reached from other machines"),
        (["--listen", ""], "listen: needs at least one address"),
        (["--config", "missing.toml"], "missing.toml: cannot be opened"),
        (["--static-prefix", "../x/"], "--static-prefix: static_prefix: '../x/' is not allowed"),
    ],
)
def test_values_must_go_together(folder, flags, said):
    done = config("--check", *flags)
    assert done.returncode == 3
    assert said in done.stderr.decode()


def test_a_value_cannot_forge_a_line_of_an_error(folder):
    (folder / "my.toml").write_text('log_format = "te\\u0000xt\\r\\nall is well\\u202E"\n')
    done = config("--check", "--config", "my.toml")
    assert done.returncode == 3
    assert done.stderr.startswith(rb"optimux: my.toml:1: log_format: 'te\u0000xt\r\nall is well\u202e' is not allowed")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("option, other", [("listen", "admin"), ("admin", "listen")])
def test_an_address_that_is_taken_is_said_of_its_option(folder, option, other):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        done = run("serve", f"--{option}", address, f"--{other}", "127.0.0.1:0")
    assert done.returncode == 3
    assert done.stderr.decode() == f"optimux: {option}: cannot bind http://{address}: Address already in use\n"


@pytest.mark.parametrize(
    "flag, said",
    [
        ("--origin-ca-file", "cannot open the file 'missing': No such file or directory"),
        ("--root", "cannot open the folder 'missing': No such file or directory"),
        ("--listen", "missing/socket"),
        ("--admin", "missing/socket"),
    ],
)
def test_what_an_option_names_must_be_there_at_start(folder, flag, said):
    value = "unix:missing/socket" if "socket" in said else "missing"
    done = run("serve", "--listen", "127.0.0.1:0", "--admin", "", flag, value)
    assert done.returncode == 3
    assert said in done.stderr.decode()
    if "socket" not in said:
        assert f"optimux: {flag}: " in done.stderr.decode()
        assert config("--check", flag, value).returncode == 3
        assert config(flag, value).returncode == 0  # Showing it needs no file.


def test_too_few_descriptors_are_a_warning_at_start(folder):
    """With a socket that cannot be made, so that the server ends by itself."""
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))}
    done = run("serve", "--listen", "unix:missing/socket", "--admin", "", **few)
    assert done.returncode == 3
    assert 'event="too few descriptors" limit=100' in done.stderr.decode()


def test_an_unknown_variable_is_a_warning(folder):
    done = config("--check", environment={"OPTIMUX_PORT": "tcp://10.0.0.1:80"})
    assert done.returncode == 0
    assert done.stderr == b"optimux: warning: OPTIMUX_PORT: is no option of this program and has no effect\n"


def test_output_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "wb") as full:
        done = run("config", "--defaults", stdout=full)
    assert done.returncode == 1
