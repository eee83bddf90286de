"""Tags the wheel with the platform of the binary in it."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A static binary needs no C library: neither glibc, of any version, nor musl.
TAG = "py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"


class Hook(BuildHookInterface):
    def initialize(self, version, build_data):
        binary = Path(self.root, "src/agentwire_fake_agent/fake-agent")
        if not binary.is_file():
            raise FileNotFoundError(f"{binary}: scripts/package fake-agent builds the wheel")
        build_data["pure_python"] = False
        build_data["tag"] = TAG
