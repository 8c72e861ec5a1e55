# The image of the action and of the command line. A release pins both base images by their digests.
ARG PYTHON_IMAGE=python:3.13-slim-trixie
# The same Python on the same Debian, with a compiler.
ARG BUILD_IMAGE=python:3.13-trixie

FROM ${BUILD_IMAGE} AS build
# "optional" builds without the compiled kernels where there is no compiler; large input is then read by Python.
ARG KERNELS=required
WORKDIR /build
COPY requirements-bootstrap.lock requirements.lock ./
# Dependencies and build tools, by hash. The secret may configure another package index.
RUN --mount=type=secret,id=pip_conf,target=/etc/pip.conf \
    python -m pip wheel --no-cache-dir --only-binary :all: --require-hashes --wheel-dir /wheels -r requirements.lock \
    && python -m venv /builder \
    && /builder/bin/python -m pip install --no-cache-dir --only-binary :all: --require-hashes -r requirements-bootstrap.lock
COPY pyproject.toml README.md LICENSE ./
COPY native native
COPY src src
COPY templates templates
RUN PROFGATE_KERNELS=${KERNELS} /builder/bin/python -m pip wheel --no-cache-dir --no-index --no-deps --no-build-isolation --wheel-dir /wheels .

FROM ${PYTHON_IMAGE} AS files
COPY native/image_files.py /
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-compile --root-user-action=ignore --no-index --find-links /wheels \
        --root /image profgate \
    && python /image_files.py /image

FROM scratch
# No USER: root must write what the runner mounts. No WORKDIR: the runner sets it.
COPY --from=files /image /
ENV PATH=/usr/local/bin:/usr/bin LANG=C.UTF-8
# Stores the bytecode of all modules that profgate imports, without those of its extras, and of the templates. The rest
# needs none.
RUN ["python", "-I", "-c", "import contextlib, importlib, pkgutil, profgate\nfor module in pkgutil.walk_packages(profgate.__path__, 'profgate.'):\n with contextlib.suppress(ModuleNotFoundError): importlib.import_module(module.name)\nfrom profgate.report.templates import environment\nfor name in environment().list_templates(['j2']): environment().get_template(name)"]
# -I: a folder named profgate in the workspace must not be imported.
ENTRYPOINT ["python", "-I", "-m", "profgate"]
