"""What `cmake --install` and the Debian package put in place."""

import os
import pathlib
import shutil
import subprocess

import pytest

from support.tls import make_certificate

BUILD = os.environ["OPTIMUX_BUILD"]
UNITS = tuple(f"lib/systemd/system/{name}" for name in ("optimux.service", "optimux.socket", "optimux-tls.socket"))
BOTH = {
    "bin/optimux",
    "share/man/man1/optimux.1",
    "share/doc/optimux/copyright",
    "share/doc/optimux/README.md",
    "share/doc/optimux/CHANGELOG.md",
    "share/doc/optimux/docs/install.md",
    "share/doc/optimux/docs/metrics.md",
    "share/doc/optimux/docs/options.md",
    *UNITS,
}


def run(*arguments, **options) -> subprocess.CompletedProcess:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OPTIMUX_", "DESTDIR"))}
    done = subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=100, env=clean, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def files_below(folder: pathlib.Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> pathlib.Path:
    prefix = tmp_path_factory.mktemp("install") / "prefix"
    run(os.environ["OPTIMUX_CMAKE"], "--install", BUILD, "--prefix", prefix, "--component", "server")
    return prefix


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("package")
    run(os.environ["OPTIMUX_CPACK"], "--config", f"{BUILD}/CPackConfig.cmake", "-B", folder)
    (package,) = folder.glob("*.deb")
    return package


@pytest.fixture(scope="module")
def unpacked(package) -> pathlib.Path:
    folder = package.parent / "unpacked"
    run("dpkg-deb", "-x", package, folder)
    return folder


def field(package: pathlib.Path, name: str) -> str:
    return run("dpkg-deb", "--field", package, name).stdout.strip()


def assert_works(binary: pathlib.Path):
    assert run(binary, "--version").stdout.startswith("optimux 0.")
    assert "\nmemory_cache = " in run(binary, "config", "--defaults").stdout


def test_an_installation_is_whole_and_its_binary_starts(installed):
    assert files_below(installed) >= BOTH | {"etc/optimux/optimux.toml"}
    assert not any(name.startswith(("include/", "lib/cmake/")) for name in files_below(installed))
    assert_works(installed / "bin/optimux")


def test_the_configuration_that_is_installed_is_right_also_with_all_that_it_proposes(installed, tmp_path):
    config = installed / "etc/optimux/optimux.toml"
    run(installed / "bin/optimux", "config", "--check", "--config", config)
    proposals = [line[1:] for line in config.read_text().splitlines() if line.startswith("#") and " = " in line]
    certificate = make_certificate(tmp_path)
    places = {"/srv/photos": tmp_path, "/etc/optimux/tls/fullchain.pem": certificate.path}
    text = "\n".join(proposals)
    for proposed, place in (places | {"/etc/optimux/tls/privkey.pem": certificate.key}).items():
        text = text.replace(proposed, str(place))
    assert len(proposals) >= 6
    (tmp_path / "all.toml").write_text(text)
    run(installed / "bin/optimux", "config", "--check", "--config", tmp_path / "all.toml")


def test_an_installation_leaves_the_configuration_that_is_there(installed):
    config = installed / "etc/optimux/optimux.toml"
    before = config.read_text()
    config.write_text("max_frames = 5\n")
    run(os.environ["OPTIMUX_CMAKE"], "--install", BUILD, "--prefix", installed, "--component", "server")
    assert config.read_text() == "max_frames = 5\n"
    config.write_text(before)


def test_the_units_name_what_is_installed(installed):
    service = (installed / UNITS[0]).read_text()
    assert f"\nExecStart={installed}/bin/optimux serve --config {installed}/etc/optimux/optimux.toml\n" in service
    assert "@program@" not in service and "@config_file@" not in service


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_units(installed):
    done = run("systemd-analyze", "verify", "--man=no", *(installed / unit for unit in UNITS))
    assert [line for line in (done.stdout + done.stderr).splitlines() if "optimux" in line] == []


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
def test_the_man_page_can_be_set(installed):
    done = run("man", "--warnings", "-l", installed / "share/man/man1/optimux.1")
    assert done.stderr == "" and "optimux serve" in done.stdout


def test_the_package_says_what_it_is_and_needs(package):
    version, architecture = field(package, "Version"), field(package, "Architecture")
    assert package.name == f"optimux_{version}_{architecture}.deb"
    needs = field(package, "Depends")
    assert all(library in needs for library in ("libvips42 (", "libcurl4 (", "libc6 (")), needs
    assert run("dpkg-deb", "--info", package, "conffiles").stdout == "/etc/optimux/optimux.toml\n"
    assert "try-restart" in run("dpkg-deb", "--info", package, "postinst").stdout


def test_the_package_is_whole_and_its_binary_starts(unpacked):
    assert files_below(unpacked) == {f"usr/{name}" for name in files_below(unpacked / "usr")} | {
        "etc/optimux/optimux.toml"
    }
    assert files_below(unpacked / "usr") >= BOTH
    assert_works(unpacked / "usr/bin/optimux")
    service = (unpacked / "usr" / UNITS[0]).read_text()
    assert "\nExecStart=/usr/bin/optimux serve --config /etc/optimux/optimux.toml\n" in service


def test_others_may_read_all_and_write_nothing_of_the_package(package):
    listing = run("dpkg-deb", "--contents", package).stdout.splitlines()
    assert len(listing) > len(BOTH)
    for line in listing:
        mode, owner = line.split()[:2]
        assert owner == "root/root", line
        assert mode[7] == "r" and mode[8] == "-" and mode[5] == "-", line
