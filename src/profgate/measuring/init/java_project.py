"""Commands of Java projects: JMH benchmarks and tests, with Maven or Gradle."""

import re
import shlex
from collections.abc import Iterator

from profgate.measuring.init.candidates import MOST, NAME, Candidate, Kind, joined, within
from profgate.measuring.init.repository_files import Files

FIXED_WORK = "-bm ss -wi 0 -i 1 -bs {}"  # calls each benchmark this often, so that a slower one takes longer
BENCHMARK = re.compile(  # an annotated method
    r"@Benchmark\b[^;{}]{0,400}?\b(\w{1,80})\s{0,9}\([^;{}()]{0,400}\)[\w\s,.]{0,200}\{"
)
CLASS_PATH = "target/test-classes:target/classes:$(cat target/class-path)"


def java_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return the JMH benchmarks and the tests of a Maven module, or the JMH benchmarks of a Gradle build."""
    here = files.inside(folder)
    if here.read("pom.xml"):
        module = folder if files.read("pom.xml") and folder != "." else "."
        yield from _benchmarks(here, folder, CLASS_PATH, java_package(module, folder))
        tests = sum(path.startswith("src/test/") for path in here.listed("**/*.java"))
        if tests:  # repeated in one JVM
            yield Candidate("Java", "", joined(folder, "pom.xml"), Kind.TESTS, folder, folder, weight=tests)
        return
    gradle = next((name for name in ("build.gradle", "build.gradle.kts") if here.read(name)), "")
    program = "./gradlew" if files.read("gradlew") else "gradle"
    if "jmh" in here.read(gradle):  # the plugin builds one archive that contains everything
        setup = (f"{program} -p {shlex.quote(folder)} jmhJar",)
        yield from _benchmarks(here, folder, "$(ls build/libs/*-jmh.jar | head -n 1)", setup)


def _benchmarks(here: Files, folder: str, class_path: str, setup: tuple[str, ...]) -> Iterator[Candidate]:
    """Return one command per class. It names the benchmarks, so that a new one does not change the total."""
    for path in here.listed("**/*.java"):
        text = here.read(path) if path.startswith("src/") else ""
        methods = BENCHMARK.findall(text)
        name = path.rpartition("/")[2].removesuffix(".java")
        if methods and NAME.fullmatch(name):
            times = 1 if "@OperationsPerInvocation" in text else 1000  # JMH states the time of an operation
            # in this process; an error of a benchmark ends it
            options = f"-f 0 -foe true {FIXED_WORK.format(times)}"
            chosen = "|".join(dict.fromkeys(methods[:MOST]))
            command = f"java -cp \"{class_path}\" org.openjdk.jmh.Main '\\b{name}\\.({chosen})$' {options}"
            place = f"{len(methods)} JMH benchmarks in {path}"
            yield Candidate("Java", command, place, Kind.BENCHMARK, folder, folder, setup, len(methods))


def java_package(module: str, folder: str) -> tuple[str, ...]:
    """Return the line that compiles a module and what it needs, and stores the class path."""
    goals = "package dependency:build-classpath -Dmdep.outputFile=target/class-path"
    options = "-B -q -DskipTests -Denforcer.skip -Drat.skip -Dmaven.javadoc.skip"  # not the rules of a release
    if module == ".":
        return within(folder, [f"mvn {options} {goals}"])
    return (f"mvn {options} -pl {shlex.quote(module)} -am {goals}",)
