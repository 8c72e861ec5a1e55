"""Commands of Java projects: JMH benchmarks and tests, with Maven or Gradle."""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from profgate.measuring.init.candidates import Candidate, Kind, joined, within
from profgate.measuring.init.declared import Declared, declared
from profgate.measuring.init.repository_files import Files

METHOD = r"@Benchmark\b[^;{}]{0,400}?\b(\w{1,80})\s{0,9}\([^;{}()]{0,400}\)[\w\s,.]{0,200}\{"  # an annotated method
# in this process, where an error of a benchmark ends it; calls each benchmark so often that a slower one takes longer
RUN = "java -cp \"CLASS_PATH\" org.openjdk.jmh.Main '\\b{name}\\.({functions})$' -f 0 -foe true -bm ss -wi 0 -i 1 -bs "
BENCHMARKS = (
    Declared("**/*.java", f"{RUN}1000", needs=METHOD, without="@OperationsPerInvocation", functions=METHOD),
    Declared("**/*.java", f"{RUN}1", needs=METHOD, functions=METHOD),
)
CLASS_PATH = "target/test-classes:target/classes:$(cat target/class-path)"
# the rules of a release do not apply
MAVEN = "mvn -B -q -DskipTests -Denforcer.skip -Drat.skip -Dmaven.javadoc.skip"
PACKAGE = "package dependency:build-classpath -Dmdep.outputFile=target/class-path"


def java_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return the JMH benchmarks and the tests of a Maven module, or the JMH benchmarks of a Gradle build.

    A command names its benchmarks, so that a new one does not change the total.
    """
    here, class_path, setup = files.inside(folder), CLASS_PATH, java_setup(files, folder)
    if here.read("pom.xml"):
        if tests := sum(path.startswith("src/test/") for path in here.listed("**/*.java")):  # repeated in one JVM
            yield Candidate("Java", "", joined(folder, "pom.xml"), Kind.TESTS, folder, folder, setup, tests)
    elif "jmh" in here.read("build.gradle") + here.read("build.gradle.kts"):  # the plugin builds one archive
        program = "./gradlew" if files.read("gradlew") else "gradle"
        class_path, setup = "$(ls build/libs/*-jmh.jar | head -n 1)", (f"{program} -p {shlex.quote(folder)} jmhJar",)
    else:
        return
    found = declared("Java", BENCHMARKS, files, folder, lambda *_: setup, {})
    named = (replace(each, command=each.command.replace("CLASS_PATH", class_path)) for each in found)
    yield from (each for each in named if each.place.startswith("src/"))


def java_setup(files: Files, folder: str) -> tuple[str, ...]:
    """Return the line that compiles a module of Maven and what it needs, and stores the class path."""
    if folder != "." and files.read("pom.xml"):
        return (f"{MAVEN} -pl {shlex.quote(folder)} -am {PACKAGE}",)
    return within(folder, [f"{MAVEN} {PACKAGE}"] if files.read(joined(folder, "pom.xml")) else [])
