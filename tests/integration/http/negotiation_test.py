"""Accept and validators: the right format, and no byte that the client has already."""

import re

import pytest

from support.picture import format_of

ASSET = "/optimux/assets/quarters.png?sizes=48x0"


@pytest.mark.parametrize(
    "accept, expected",
    [
        ("image/avif,image/webp,*/*", {"avif", "webp"}),
        ("image/webp,*/*;q=0.8", {"webp"}),
        ("image/avif;q=0.5,image/webp;q=0.9", {"webp"}),
        ("image/webp;q=0.5,image/avif;q=0.9", {"avif"}),
        ("image/webp;q=0,image/jpeg", {"jpeg"}),
        ("image/webp;q=0,image/*", {"png", "jpeg"}),
        ("image/png", {"png"}),
        ("image/gif", {"gif"}),
        ("IMAGE/WEBP ; Q=1.0", {"webp"}),
        (
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
            {"avif", "webp"},
        ),
        ("*/*", {"png"}),
        ("", {"png"}),
        (None, {"png"}),
    ],
)
def test_auto_takes_what_the_client_wants_most(server, accept, expected):
    response = server.request("GET", ASSET + "&format=auto", {} if accept is None else {"Accept": accept})
    assert response.status == 200, response.body
    assert format_of(response.body) in expected
    assert response.header("Content-Type") == "image/" + format_of(response.body)
    assert "accept" in response.header("Vary").lower()


def test_auto_without_anything_acceptable_is_406(server):
    response = server.get(ASSET + "&format=auto", Accept="text/html, application/json;q=0.9")
    assert response.status == 406
    response.problem()
    assert "accept" in response.header("Vary").lower()


def test_accept_does_not_matter_without_auto(server):
    response = server.get(ASSET + "&format=webp", Accept="text/html")
    assert response.status == 200
    assert "accept" not in (response.header("Vary") or "").lower()


def test_success_carries_what_caches_and_browsers_need(server):
    response = server.get(ASSET)
    assert re.fullmatch(r'"[^"\s]+"', response.header("ETag"))
    assert re.search(r"max-age=\d+", response.header("Cache-Control"))
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", response.header("Last-Modified"))
    assert response.header("X-Content-Type-Options") == "nosniff"
    assert response.header("Cross-Origin-Resource-Policy")
    assert response.header("X-Request-Id")


@pytest.mark.parametrize("form", ["{etag}", '"other", {etag}', "W/{etag}", "*", '{etag},"other"'])
def test_if_none_match_gives_304(server, form):
    first = server.get(ASSET)
    second = server.get(ASSET, If_None_Match=form.format(etag=first.header("ETag")))
    assert second.status == 304
    assert second.body == b""
    for name in ("ETag", "Cache-Control", "Vary"):
        assert second.header(name) == first.header(name)


def test_304_of_a_cold_rendition(server):
    target = "/optimux/assets/quarters.png?sizes=49x0"
    assert server.get(target, If_None_Match='"something else"').status == 200
    etag = server.get(target).header("ETag")
    with server.connect() as connection:
        assert connection.get(target, If_None_Match=etag).status == 304
        assert connection.get(target).status == 200  # The connection is still in step.


@pytest.mark.parametrize("target", ["quarters.png?page=7", "photo.jpg?sizes=0x0&format=avif&effort=9"])
@pytest.mark.parametrize("condition", [{"If_None_Match": "*"}, {"If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT"}])
def test_conditions_change_no_error(server, target, condition):
    plain, conditional = server.get("/optimux/assets/" + target), server.get("/optimux/assets/" + target, **condition)
    assert plain.status in (400, 422)
    assert (conditional.status, conditional.problem()["detail"]) == (plain.status, plain.problem()["detail"])


def test_other_etag_gives_the_picture(server):
    assert server.get(ASSET, If_None_Match='"something else"').status == 200


def test_etags_differ_by_parameters_and_source(server):
    targets = [ASSET, ASSET + "&quality=50&format=jpeg", ASSET + "&format=jpeg", "/optimux/assets/disc.png?sizes=48x0"]
    assert len({server.get(target).header("ETag") for target in targets}) == len(targets)


def test_if_modified_since(server):
    modified = server.get(ASSET).header("Last-Modified")
    assert server.get(ASSET, If_Modified_Since=modified).status == 304
    assert server.get(ASSET, If_Modified_Since="Fri, 01 Jan 2100 00:00:00 GMT").status in (200, 304)
    assert server.get(ASSET, If_Modified_Since="Sat, 01 Jan 2000 00:00:00 GMT").status == 200
    assert server.get(ASSET, If_Modified_Since="no date").status == 200
    # The entity tag decides where both are there.
    assert server.get(ASSET, If_Modified_Since=modified, If_None_Match='"other"').status == 200
