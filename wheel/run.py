"""Run profgate with the inputs of the composite action.

The runner passes inputs as variables to containers, but not to the steps of a composite action.
"""

import json
import os
import sys

from profgate.__main__ import main
from profgate.settings.inputs import input_variable

inputs = json.loads(os.environ.pop("PROFGATE_INPUTS"))
os.environ.update({input_variable(name): value for name, value in inputs.items()})
sys.argv[1:] = ["action"]
sys.exit(main())
