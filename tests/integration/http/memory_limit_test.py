"""Near its limit of memory a server says so, instead of being ended by the kernel."""

from support import client, media


def test_nothing_is_begun_and_no_connection_is_kept(start_server):
    # No server is as small as this.
    server = start_server(memory_limit="1MiB")
    server.assert_unharmed = lambda: server.await_idle()
    with server.connect() as connection:
        response = connection.get(client.asset(media.QUARTERS_PNG, sizes="30x0"))
        assert response.status == 503
        assert int(response.header("Retry-After")) >= 1
        assert response.problem()["detail"] == "the memory is used up; see Retry-After"
        assert response.header("Connection") == "close"
        assert connection.at_end()
    for target in ("/health", "/optimux/ping"):
        assert server.get(target).status == 200
    assert server.metrics().value("optimux_memory_limit_bytes") == 1 << 20


def test_by_default_there_is_room(start_server):
    server = start_server()
    assert server.get(client.asset(media.QUARTERS_PNG, sizes="30x0")).header("Connection") is None
    assert server.metrics().value("optimux_memory_limit_bytes") > 64 << 20
