"""`optimux sign`, and that docs/signing.md says how to do it by oneself."""

import json
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from cli.command import run

PAGE = (pathlib.Path(__file__).parents[3] / "docs" / "signing.md").read_text("utf-8")
KEY = re.search(r"key `([0-9a-f]{64})`", PAGE)[1]
# Target and signature of each row of the table of examples.
VECTORS = re.findall(r"^\| `(/[^`]*)` \| `([\w-]{43})` \|$", PAGE, re.M)
OTHER_KEY = "5" * 64


def lines(done: subprocess.CompletedProcess) -> list[str]:
    return done.stdout.decode().splitlines()


def code_of(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.S)[1]


def with_signature(target: str, signature: str) -> str:
    return f"{target}{'&' if '?' in target else '?'}sig={signature}"


def test_there_are_examples():
    assert len(VECTORS) >= 4


@pytest.mark.parametrize("target, signature", VECTORS)
def test_the_examples_of_the_page_are_right(target, signature):
    done = run("sign", target, f"https://img.example.org{target}", "--key", KEY)
    assert (done.returncode, done.stderr) == (0, b"")
    expected = with_signature(target, signature)
    assert lines(done) == [expected, f"https://img.example.org{expected}"]


# Each block of the page defines `sign(key, target)` in its language; these lines call it.
CALLS = {
    "python": ("python3", "{code}\nimport sys\nprint(sign(sys.argv[1], sys.argv[2]))\n", ["/usr/bin/python3", "{file}"]),
    "js": ("node", "{code}\nconsole.log(sign(process.argv[2], process.argv[3]));\n", ["node", "{file}"]),
    "php": ("php", "<?php\n{code}\necho sign($argv[1], $argv[2]), PHP_EOL;\n", ["php", "{file}"]),
}


@pytest.mark.parametrize("language", CALLS)
def test_the_programs_of_the_page_sign_the_same(language, tmp_path):
    program, template, command = CALLS[language]
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")
    file = tmp_path / ("sign.mjs" if language == "js" else "sign")
    file.write_text(template.format(code=code_of(language)))
    for target, signature in VECTORS:
        words = [word.format(file=file) for word in command]
        done = subprocess.run([*words, KEY, target], capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout.strip() == with_signature(target, signature)


def test_signs_until_a_time(folder):
    (folder / "key").write_text(f"# now\n{KEY}\n{OTHER_KEY}\n")
    done = run("sign", "/optimux/info/photo.jpg", "--key", "@key", "--expires-at", "4102444800")
    assert re.fullmatch(r"/optimux/info/photo\.jpg\?expires=4102444800&sig=[\w-]{43}", lines(done)[0])
    before = int(time.time())
    done = run("sign", "/a?b=1", "--key", "@key", "--expires", "1h", "--json")
    entry = json.loads(done.stdout)
    assert before + 3600 <= entry["expires"] <= time.time() + 3601
    assert entry["url"] == "/a?b=1"
    assert entry["signed"].startswith(f"/a?b=1&expires={entry['expires']}&sig=")


def test_signs_with_the_key_of_the_configuration(folder):
    expected = lines(run("sign", "/a", "--key", KEY))
    assert lines(run("sign", "/a", environment={"OPTIMUX_SIGNING_KEYS": f"{KEY},{OTHER_KEY}"})) == expected
    (folder / "optimux.toml").write_text(f"signing_keys = ['{KEY}']\n")
    assert lines(run("sign", "/a", "--config", "optimux.toml")) == expected
    assert lines(run("sign", "/a", "--signing-keys", KEY)) == expected


def test_reads_urls_from_standard_input(folder):
    (folder / "urls").write_bytes(b"/a\r\n\n/b\n")
    with (folder / "urls").open() as urls:
        done = run("sign", "--key", KEY, stdin=urls)
    assert lines(done) == lines(run("sign", "/a", "/b", "--key", KEY))


def test_what_cannot_be_signed_is_said_and_the_rest_is_signed():
    done = run("sign", "/a#b", "/a", "--key", KEY)
    assert done.returncode == 1
    assert lines(done) == lines(run("sign", "/a", "--key", KEY))
    assert done.stderr == b"optimux: /a#b: has a fragment, which no server gets to see\n"
    done = run("sign", "photo.jpg", "--key", KEY, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "invalid_url"


def test_without_a_key_nothing_is_signed():
    done = run("sign", "/a")
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"there is no key: give --key, or configure signing_keys" in done.stderr


@pytest.mark.parametrize("key", ["5ec7e7", "5ec7e7" * 6 + "x", "@no-such-file"])
def test_a_wrong_key_is_not_shown(key):
    done = run("sign", "/a", "--key", key)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"--key: " in done.stderr and b"5ec7" not in done.stderr


def test_the_configuration_never_shows_a_key(folder):
    (folder / "optimux.toml").write_text(f"signing_keys = ['{OTHER_KEY}']\n")
    for arguments in ([], ["--json"], ["--check"], ["--defaults"], ["--markdown"]):
        done = run("config", "--config", "optimux.toml", *arguments)
        assert done.returncode == 0
        assert b"5555" not in done.stdout + done.stderr


def test_a_file_of_keys_is_looked_at_before_the_start(folder):
    done = run("config", "--check", "--signing-keys", "@no-such-file")
    assert done.returncode == 3
    assert b"--signing-keys: signing_keys: cannot open the file 'no-such-file'" in done.stderr


@pytest.mark.parametrize("arguments", [["--expires", "soon"], ["--expires-at", "-1"], ["--expires", "1h", "--expires-at", "1"]])
def test_usage_errors(arguments):
    assert run("sign", "/a", "--key", KEY, *arguments).returncode == 2


def test_help_has_examples():
    done = run("sign", "--help")
    assert done.returncode == 0
    assert b"examples:" in done.stdout and b"exit codes:" in done.stdout
