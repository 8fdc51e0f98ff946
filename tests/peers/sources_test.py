"""Results name the commit of the sources of the program that they are of; see sources.py."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import sources


class TheSourcesOfAProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.program = self.top / "build/crigate"
        self.git("init", "--quiet")
        for name in ("core/a.c", "cmake/packages.txt", "docs/a.md"):
            self.write(name, "1")
        self.write("build/crigate", "")
        os.utime(self.program, (2_000_000_000, 2_000_000_000))
        self.commit("core", "cmake", "docs")

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(self.top), *words], check=True,
                              capture_output=True, text=True).stdout.strip()

    def write(self, name, text):
        file = self.top / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (1_900_000_000, 1_900_000_000))

    def commit(self, *names):
        self.git("add", *names)
        self.git("commit", "--quiet", "--message", "text")
        return self.git("rev-parse", "--short=12", "HEAD")

    def objection(self):
        return sources.objection(self.program, self.top)

    def test_a_program_that_is_newer_than_its_sources_is_theirs(self):
        self.assertIsNone(self.objection())

    def test_a_program_that_is_older_than_a_source_is_refused(self):
        os.utime(self.top / "core/a.c", (2_100_000_000, 2_100_000_000))
        self.assertIn("is older than core/a.c: build it first", self.objection())

    def test_a_newer_file_that_no_build_reads_does_no_harm(self):
        for name in ("cmake/packages.txt", "docs/a.md"):
            os.utime(self.top / name, (2_100_000_000, 2_100_000_000))
        self.assertIsNone(self.objection())

    def test_sources_that_are_not_committed_are_refused(self):
        self.write("docs/a.md", "2")
        self.assertIsNone(self.objection())
        self.write("core/a.c", "2")
        self.assertRegex(self.objection(), "changed and not committed:\\n.*core/a.c")
        self.git("checkout", "--", "core/a.c")
        self.write("core/b.c", "1")
        self.assertRegex(self.objection(), "core/b.c")

    def test_a_program_that_is_not_built_is_refused(self):
        self.program.unlink()
        self.assertRegex(self.objection(), "crigate is not built")

    def test_the_commit_is_the_last_that_changed_a_source(self):
        self.write("core/a.c", "2")
        named = self.commit("core")
        for name in ("docs/a.md", "cmake/packages.txt"):
            self.write(name, "2")
            self.commit(name)
        self.assertEqual(sources.commit(self.top), named)


if __name__ == "__main__":
    unittest.main()
