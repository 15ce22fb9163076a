"""A parameter that is wrong is refused, and the answer says which, what was given, and what is allowed."""

import pytest

from support import client, media

HUGE = "99999999999999999999"
# Parameter, value, and what of the allowed range the detail must name.
BAD_VALUES = [
    *[
        ("sizes", value, "5")
        for value in ("axb", "-1x0", "1.5x2", "100x100x100", "1,2,3,4,5,6", "100 x 100", "70000x0", f"{HUGE}x1", ",", "0x-0", "600x-0")
    ],
    *[("fit", value, "cover") for value in ("", "crop", "insidee", "inside,cover")],
    *[
        ("gravity", value, "north")
        for value in ("", "up", "fp:", "fp:1", "fp:2,0", "fp:-0.1,0", "fp:a,b", "fp:0,0,0", "fp:nan,0", "fp:1e400,0")
    ],
    *[("enlarge", value, "true") for value in ("yess", "2", "-1", "tru")],
    *[("dpr", value, "4") for value in ("", "0", "0.5", "4.01", "5", "-1", "nan", "inf", "1e9", "two", "1,5")],
    *[("format", value, "webp") for value in ("", "bmp", "svg", "image/png", "jpegg", "mp4")],
    *[("quality", value, "100") for value in ("", "0", "101", "-1", "50.5", "abc", "1e2", "0x50", HUGE, "+50", " 50")],
    *[("effort", value, "9") for value in ("", "-1", "10", "4.5", "max")],
    *[("lossless", value, "false") for value in ("maybe", "truefalse")],
    *[("progressive", value, "false") for value in ("maybe",)],
    *[("strip", value, "false") for value in ("all",)],
    *[("encoder", value, "stream") for value in ("", "xml", "streams")],
    *[("thumb", value, "false") for value in ("x",)],
    *[
        ("crop", value, "")
        for value in (
            "",
            "1,2,3",
            "1,2,3,4,5",
            "a,b,c,d",
            "0,0,0,10",
            "0,0,10,0",
            "-1,0,10,10",
            "101%,0,10,10",
            "0,0,101%,10",
            f"0,0,{HUGE},1",
        )
    ],
    *[("rotate", value, "270") for value in ("", "45", "-90", "360", "91", "ninety")],
    *[("flip", value, "hv") for value in ("", "x", "hh", "both")],
    *[("blur", value, "50") for value in ("", "-1", "50.1", "nan", "inf", "1e3", "soft")],
    *[("sharpen", value, "50") for value in ("", "-0.1", "51", "-nan", "hard")],
    *[("background", value, "RRGGBB") for value in ("", "red", "12345", "1234567", "gggggg", "#ff00gg", "rgb(1,2,3)")],
    *[("page", value, "") for value in ("", "-1", "1.5", HUGE, "first")],
    *[("frames", value, "") for value in ("", "0", "-2", "1.5", "all")],
]


@pytest.mark.parametrize("name, value, allowed", BAD_VALUES, ids=lambda text: repr(text)[:24])
def test_bad_value_is_refused_by_name_and_range(server, name, value, allowed):
    response = server.get(client.asset(media.QUARTERS_PNG, **{name: value}))
    assert response.status == 400, (response.status, response.body[:300])
    detail = response.problem()["detail"]
    assert name in detail and allowed in detail, detail
    assert value[:20] in detail, detail


@pytest.mark.parametrize(
    "name", ["width", "height", "w", "h", "size", "Sizes", "qualty", "image_url", "sizes[]", "", "__proto__", "größe"]
)
def test_unknown_parameter_is_named(server, name):
    response = server.get(client.asset(media.QUARTERS_PNG, **{name: "1"}))
    assert response.status == 400
    assert name in response.problem()["detail"]


@pytest.mark.parametrize("name", ["quality", "format", "fit", "encoder", "download"])
def test_scalar_given_twice_is_refused(server, name):
    value = {"quality": "50", "format": "png", "fit": "cover", "encoder": "stream", "download": "a"}[name]
    response = server.get(f"/optimux/assets/quarters.png?{name}={value}&{name}={value}")
    assert response.status == 400
    assert name in response.problem()["detail"]


@pytest.mark.parametrize("query", ["%", "%zz=1", "sizes=%", "sizes=%f", "sizes=%zz", "sizes=%00", "=", "=1", "a=b=c"])
def test_malformed_query_is_refused(server, query):
    response = server.get("/optimux/assets/quarters.png?" + query)
    assert response.status == 400, response.status
    response.problem()


@pytest.mark.parametrize("query", ["", "&", "&&", "sizes=20x0&", "&sizes=20x0", "sizes=20x0&&format=png"])
def test_empty_parts_of_a_query_do_no_harm(server, query):
    assert server.get("/optimux/assets/quarters.png?" + query).status == 200


def test_resize_needs_an_image_url(server):
    response = server.get("/resize?sizes=20x0")
    assert response.status == 400
    assert "image_url" in response.problem()["detail"]


def test_markup_in_a_value_cannot_become_a_page(server):
    response = server.get(client.asset(media.QUARTERS_PNG, sizes="<script>alert(1)</script>"))
    assert response.status == 400
    assert response.header("Content-Type") == "application/problem+json"
    assert response.header("X-Content-Type-Options") == "nosniff"


def test_detail_of_a_long_value_stays_short(server):
    response = server.get(client.asset(media.QUARTERS_PNG, quality="9" * 4000))
    assert response.status == 400
    assert len(response.body) < 1500


@pytest.mark.parametrize(
    "parameters",
    [
        {"sizes": "16385x0", "enlarge": "true"},
        {"sizes": "16000x16000", "enlarge": "true", "fit": "fill"},
        {"sizes": "5000x0", "dpr": "4", "enlarge": "true"},
        {"sizes": "60000x1", "enlarge": "true", "fit": "fill"},
    ],
)
def test_output_over_a_limit_is_refused(server, parameters):
    response = server.get(client.asset(media.QUARTERS_PNG, **parameters))
    assert response.status in (400, 422), response.status
    response.problem()


@pytest.mark.parametrize("parameters", [{"crop": "500,0,10,10"}, {"page": "1"}, {"page": "99999"}])
def test_what_the_picture_does_not_have_is_refused(server, parameters):
    response = server.get(client.asset(media.QUARTERS_PNG, **parameters))
    assert response.status in (400, 422), response.status
    assert response.problem()["detail"]
