#!/usr/bin/env bash
# Installs profgate by hash into $RUNNER_TEMP/profgate, with the interpreter $PYTHON. A composite action of this
# repository runs it, so that $GITHUB_ACTION_PATH is a folder beside this one.
set -euo pipefail

source=$GITHUB_ACTION_PATH/..
"$PYTHON" -I -m venv "$RUNNER_TEMP/profgate"
bin=bin
if [ "$RUNNER_OS" = Windows ]; then bin=Scripts; fi
install() {
  "$RUNNER_TEMP/profgate/$bin/python" -I -m pip --disable-pip-version-check install --quiet "$@"
}
install --only-binary :all: --require-hashes -r "$source/requirements.lock"
if [ -f "$source/wheel/profgate.lock" ]; then # a release
  install --only-binary :all: --require-hashes --no-deps -r "$source/wheel/profgate.lock"
else # any other commit is built here
  install --only-binary :all: --require-hashes -r "$source/requirements-bootstrap.lock"
  install --no-index --no-deps --no-build-isolation "$source"
fi
