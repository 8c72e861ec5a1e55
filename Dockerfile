# The image of the action, which is the command line too. A release gives PYTHON_IMAGE a digest.
ARG PYTHON_IMAGE=python:3.13-slim-trixie
# The same Python on the same Debian with a compiler; a release gives it a digest too.
ARG BUILD_IMAGE=python:3.13-trixie

FROM ${BUILD_IMAGE} AS build
# "optional" builds without the compiled kernels where there is no compiler; large input is then read by Python.
ARG KERNELS=required
WORKDIR /build
COPY requirements-bootstrap.lock requirements.lock ./
# Both by hash: what runs profgate, and what builds its wheel. The secret may name another package index.
RUN --mount=type=secret,id=pip_conf,target=/etc/pip.conf \
    python -m pip wheel --no-cache-dir --only-binary :all: --require-hashes --wheel-dir /wheels -r requirements.lock \
    && python -m venv /builder \
    && /builder/bin/python -m pip install --no-cache-dir --only-binary :all: --require-hashes -r requirements-bootstrap.lock
COPY pyproject.toml README.md LICENSE ./
COPY native native
COPY src src
COPY templates templates
RUN PROFGATE_KERNELS=${KERNELS} /builder/bin/python -m pip wheel --no-cache-dir --no-index --no-deps --no-build-isolation --wheel-dir /wheels .

FROM ${PYTHON_IMAGE}
# No USER: root must write what the runner mounts. No WORKDIR: the runner sets it.
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --root-user-action=ignore --no-index --find-links /wheels profgate \
    && find /usr/local -path '*-packages*' -type d -name tests -prune -exec rm -rf {} +
# -I: a folder called profgate in the workspace must not become the program.
ENTRYPOINT ["python", "-I", "-m", "profgate"]
