"""The ``profgate completion`` command."""

import sys

import click
from click.shell_completion import get_completion_class

from profgate.cli.options import Choice, command


@command(
    """echo 'eval "$(profgate completion bash)"' >> ~/.bashrc""",
    """echo 'eval "$(profgate completion zsh)"' >> ~/.zshrc""",
    "profgate completion fish > ~/.config/fish/completions/profgate.fish",
)
@click.argument("shell", type=Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the script that completes commands, options and paths in a shell."""
    from profgate.cli.main import VARIABLE, profgate

    made = get_completion_class(shell)
    if made is not None:
        sys.stdout.write(f"{made(profgate, {}, 'profgate', VARIABLE).source()}\n")
    return 0
