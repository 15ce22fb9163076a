"""The layering check finds what it is there to find."""

import pathlib
import tempfile
import unittest

import check_layers


class CheckLayers(unittest.TestCase):
    def complaints(self, path, line):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(line + "\n", encoding="utf-8")
            return check_layers.check(pathlib.Path(folder))

    def test_upward_includes_are_found(self):
        for path, name in [
            ("src/base/a.cpp", "media/executor.hpp"),
            ("src/media/a.hpp", "source/source.hpp"),
            ("src/http/a.cpp", "service/rendition.hpp"),
            ("src/service/deep/a.cpp", "server/server.hpp"),
            ("pool/src/a.cpp", "base/result.hpp"),
            ("pool/src/a.cpp", "simulator/simulation.hpp"),
            ("pool/src/a.cpp", "advisor/sizing.hpp"),
            ("pool/advisor/a.cpp", "plot/chart.hpp"),
            ("src/server/a.cpp", "advisor/live_advice.hpp"),
            ("pool/plot/a.cpp", "optimux/pool/policy.hpp"),
            ("pool/simulator/a.cpp", "plot/chart.hpp"),
            ("apps/optimux/transform.cpp", "server/server.hpp"),
        ]:
            with self.subTest(path=path, name=name):
                self.assertEqual(len(self.complaints(path, f'#include "{name}"')), 1)

    def test_packages_have_their_rooms(self):
        self.assertEqual(len(self.complaints("src/service/a.cpp", "#include <vips/vips.h>")), 1)
        self.assertEqual(len(self.complaints("src/http/a.hpp", "#include <curl/curl.h>")), 1)
        self.assertEqual(len(self.complaints("src/base/a.cpp", "#include <nobody/knows.hpp>")), 1)

    def test_downward_includes_pass(self):
        self.assertEqual(self.complaints("src/server/a.cpp", '#include "http/request.hpp"'), [])
        self.assertEqual(self.complaints("src/media/a.cpp", "#include <vips/vips.h>"), [])
        self.assertEqual(self.complaints("src/source/a.cpp", "#include <sys/socket.h>"), [])
        self.assertEqual(self.complaints("pool/simulator/a.cpp", '#include "optimux/pool/policy.hpp"'), [])
        self.assertEqual(self.complaints("pool/advisor/a.cpp", '#include "optimux/pool/snapshot.hpp"'), [])
        self.assertEqual(self.complaints("src/service/a.cpp", '#include "advisor/live_advice.hpp"'), [])
        self.assertEqual(self.complaints("apps/optimux/pool/a.cpp", '#include "plot/chart.hpp"'), [])
        self.assertEqual(self.complaints("apps/optimux/serve.cpp", '#include "server/server.hpp"'), [])


if __name__ == "__main__":
    unittest.main()
