"""The ``profgate completion`` command."""

import sys

import click
from click.shell_completion import get_completion_class

from profgate.cli.options import command


@command(
    'bash: add  eval "$(profgate completion bash)"  to ~/.bashrc',
    'zsh:  add  eval "$(profgate completion zsh)"   to ~/.zshrc',
    "fish: run  profgate completion fish > ~/.config/fish/completions/profgate.fish",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the completion script for a shell: commands, options and paths."""
    from profgate.cli.main import VARIABLE, profgate

    made = get_completion_class(shell)
    if made is not None:
        sys.stdout.write(f"{made(profgate, {}, 'profgate', VARIABLE).source()}\n")
    return 0
