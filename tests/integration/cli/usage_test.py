"""Help, version, and what is said of a command line that cannot be understood."""

import contextlib
import os
import pty

import pytest

from cli.command import run

COMMANDS = ["serve", "transform", "inspect", "sign", "config", "pool", "h2", "version"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_the_exit_codes(command):
    done = run(command, "--help")
    assert done.returncode == 0
    text = done.stdout.decode()
    assert "example" in text and f"optimux {command}" in text
    assert "exit codes: 0 success" in text
    assert done.stderr == b""


def test_the_program_names_its_commands():
    text = run("--help").stdout.decode()
    assert all(f"  {command} " in text for command in COMMANDS)


def test_version():
    done = run("version")
    assert done.returncode == 0
    assert done.stdout == run("--version").stdout
    assert done.stdout.startswith(b"optimux 0.")


@pytest.mark.parametrize("arguments, commands", [([], COMMANDS), (["pool"], ["simulate", "size", "sweep", "advise"])])
def test_without_a_command_all_of_them_are_named(arguments, commands):
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == b""
    text = done.stderr.decode()
    assert text.startswith("optimux: which command?\n")
    assert all(f"\n  {command} " in text for command in commands)


def test_the_help_of_transform_offers_what_transform_takes():
    text = " ".join(run("transform", "--help").stdout.decode().split())
    assert "[jpeg, jpg, png, webp, avif or gif; default: the extension of OUT, or the source's own]" in text
    assert "[stream or progress; default: stream]" in text
    assert "client accepts" not in text and "or auto" not in text


def test_no_picture_is_written_to_a_terminal(folder):
    master, terminal = pty.openpty()
    done = run("transform", "a.png", "-o", "-", stdout=terminal)
    os.close(terminal)
    with contextlib.suppress(OSError):  # EIO: the terminal has no writer left.
        assert os.read(master, 1) == b""
    os.close(master)
    assert done.returncode == 2
    assert b"-o - would write a picture to this terminal; redirect it" in done.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "optimux: which command?\n"),
        (["paint"], "there is no command 'paint'\n"),
        (["srve"], "there is no command 'srve'; did you mean 'serve'?"),
        (["serve", "--port=80"], "unknown option '--port=80'; did you mean '--listen'?"),
        (["serve", "--width", "80"], "unknown option '--width'\n"),
        (["transform", "a.jpg", "-o", "b.webp", "--width", "9"], "unknown option '--width'; did you mean '--sizes'?"),
        (["serve", "--no-such-flag"], "unknown option '--no-such-flag'\n"),
        (["serve", "--lisen=:80"], "unknown option '--lisen=:80'; did you mean '--listen'?"),
        (["serve", "pho\ttos\x1b[1m\u202e"], "'pho\\ttos\\u001b[1m\\u202e' was not expected"),
        (["serve", "photos"], "'photos' was not expected: `serve` takes flags alone"),
        (["transform", "a.jpg", "-o", "b.webp", "--size", "10"], "unknown option '--size'; did you mean '--sizes'?"),
        (["transform", "a.jpg"], "--output is required"),
        (["transform", "-o", "out/"], "IN is required"),
        (["transform", "a.jpg", "-o"], "--output"),
        (["transform", "a.jpg", "-o", "b.webp", "--overwrite", "--skip-existing"], "excludes"),
        (["transform", "a.jpg", "-o", "b.webp", "--quality", "101"], 'quality cannot be "101"'),
        (["transform", "a.jpg", "-o", "b.webp", "--quality", "5", "--quality", "6"], "more than once"),
        (["transform", "a.jpg", "-o", "b.webp", "--format", "auto"], "format=auto"),
        (["transform", "a.jpg", "-o", "b.webp", "--encoder", "json"], "encoder=json"),
        (["transform", "a.jpg", "-o", "b.jpg", "--lossless"], "'b.jpg': lossless cannot be true with format jpeg"),
        (["transform", "a.jpg", "-o", "-", "--lossless", "--format", "gif"], "lossless cannot be true with format gif"),
        (["transform", "a.jpg", "b.jpg", "-o", "-"], "standard output"),
        (["transform", "-", "-", "-o", "out/"], "only once"),
        (["transform", "a.jpg", "-o", "-", "--json"], "--json"),
        (["transform", "a.jpg", "-o", "out/", "--name", "{title}"], "{title}"),
        (["transform", "a.jpg", "-o", "b.webp", "--name", "{stem}"], "--name"),
        (["transform", "a.jpg", "-o", "out/", "--name", "../{stem}.{ext}"], "'..' would leave the output folder"),
        (["transform", "a.jpg", "-o", "out/", "--name", "/{stem}.{ext}"], "relative to the output folder"),
        (["transform", "a.jpg", "-o", "c.tiff"], "'c.tiff': .tiff is not written; allowed: .jpg"),
        (["transform", "a.jpg", "-o", "b.avif", "--sizes", "300x0,100x0"], "several sizes need a folder"),
        (["transform", "a.jpg", "b.jpg", "-o", "b.avif"], "several inputs need a folder"),
        (["transform", "a.jpg", "-o", "out/", "--name", ""], "there is no file name"),
        (["transform", "a.jpg", "-o", "x.tiff", "--sizes", "300x0,100x0"], "several sizes need a folder"),
        (["transform", ".", "-o", "."], "name the --format that tells results from inputs"),
        (["config", "--defaults", "--check"], "excludes"),
        (["config", "photos"], "'photos' was not expected: `config` takes flags alone"),
        (["inspect"], "FILE is required"),
        (["inspect", "-", "-"], "only once"),
        (["inspect", "a.jpg", "--jsons"], "unknown option '--jsons'; did you mean '--json'?"),
        (["pool"], "optimux: which command?\n"),
        (["pool", "paint"], "there is no command 'paint'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_line_that_cannot_be_understood_is_exit_code_2(folder, arguments, said):
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr.decode()
    assert done.stdout == b""
    assert list(folder.iterdir()) == []


ODD = "\x1b[1m\u202egpj"


@pytest.mark.parametrize(
    "arguments",
    [
        ["transform", f"{ODD}.jpg", "-o", "out.webp"],
        ["transform", "a.jpg", "-o", f"{ODD}.tiff"],
        ["inspect", f"{ODD}.jpg"],
        ["inspect", f"found-{ODD}.png"],
        ["inspect", f"broken-{ODD}.png"],
        ["config", "--check", "--config", f"{ODD}.toml"],
        ["h2", "simulate", "--policy", ODD],
        ["pool", "advise", "--admin", f"unix:{ODD}"],
        ["pool", "simulate", "--load", ODD],
        ["pool", "simulate", "--time-scale", "0.01", "--csv", f"none/{ODD}"],
        ["pool", "sweep", "--job", f"burn:{ODD}"],
        ["pool", "sweep", "--from", ODD],
        ["pool", "shapes", "--only", ODD],
    ],
    ids=lambda value: " ".join(value[:2]),
)
def test_names_reach_a_terminal_without_what_would_control_it(folder, quarters, arguments):
    (folder / f"found-{ODD}.png").write_bytes(quarters.read_bytes())
    (folder / f"broken-{ODD}.png").write_bytes(quarters.read_bytes()[:60])
    done = run(*arguments)
    text = (done.stdout + done.stderr).decode()
    assert "\x1b" not in text and "\u202e" not in text
    assert "\\u001b[1m\\u202egpj" in text
