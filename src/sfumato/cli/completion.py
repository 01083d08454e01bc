"""`sfumato completion`: a script for a shell that completes commands, options and their words, made from the parser."""

import argparse
import shlex
from collections.abc import Callable, Iterator

from sfumato.cli import docs
from sfumato.cli.command import Exit
from sfumato.cli.parser import Parser, branches, whole_parser

_BASH = """\
# sfumato: completion for bash; in ~/.bashrc: eval "$(sfumato completion bash)"
_sfumato() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} at="" word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$at $word" in
{ways}
        esac
    done
    case "$at $before" in
{values}
        *) case "$at" in
{words}
        esac ;;
    esac
}}
complete -o bashdefault -o default -F _sfumato sfumato
"""
_ZSH = """\
#compdef sfumato
# sfumato: completion for zsh; in ~/.zshrc, after compinit: eval "$(sfumato completion zsh)"
_sfumato() {{
    local at="" word
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        case "$at $word" in
{ways}
        esac
    done
    case "$at ${{words[CURRENT-1]}}" in
{values}
        *) case "$at" in
{words}
        esac
        [[ $PREFIX == -* ]] || _files ;;
    esac
}}
compdef _sfumato sfumato
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=tuple(_SHELLS), help="which shell the script is for")


def run(arguments: argparse.Namespace) -> Exit:
    """Write the script to stdout."""
    import sys

    sys.stdout.write(_SHELLS[arguments.shell](whole_parser()))
    return Exit.DONE


# ---- what there is to complete ----


def _words(parser: Parser) -> list[str]:
    """What may stand next: commands or words that are known, and options."""
    found: list[str] = []
    for action in parser._actions:
        found += action.option_strings or map(str, action.choices or ())
    return found + (list(docs.pages()) if parser.prog == "sfumato docs" else [])


def _chosen(parser: Parser) -> Iterator[tuple[str, list[str]]]:
    """Options whose values are known words, and these words."""
    for action in parser._actions:
        if action.option_strings and action.choices:
            for option in action.option_strings:
                yield option, [str(each) for each in action.choices]


# ---- as a shell reads it ----


def _cases(parser: Parser, reply: Callable[[list[str]], str]) -> dict[str, str]:
    known = branches(parser)
    ways = [
        f"            {shlex.quote(f'{_at(words[:-1])} {words[-1]}')}) at={shlex.quote(_at(words))} ;;"
        for words in known
        if words
    ]
    values = [
        f"        {shlex.quote(f'{_at(words)} {option}')}) {reply(choices)} ;;"
        for words, each in known.items()
        for option, choices in _chosen(each)
    ]
    said = [f"            {shlex.quote(_at(words))}) {reply(_words(each))} ;;" for words, each in known.items()]
    return {"ways": "\n".join(ways), "values": "\n".join(values), "words": "\n".join(said)}


def _at(words: tuple[str, ...]) -> str:
    return "/".join(words)


def _bash(parser: Parser) -> str:
    return _BASH.format(
        **_cases(parser, lambda words: f'COMPREPLY=($(compgen -W {shlex.quote(" ".join(words))} -- "$current"))')
    )


def _zsh(parser: Parser) -> str:
    return _ZSH.format(**_cases(parser, lambda words: f"compadd -- {' '.join(map(shlex.quote, words))}"))


def _fish(parser: Parser) -> str:
    lines = ["# sfumato: completion for fish; in config.fish: sfumato completion fish | source"]
    for words, each in branches(parser).items():
        seen = [f"__fish_seen_subcommand_from {word}" for word in words]
        begun = f"-n {shlex.quote('; and '.join(seen) if seen else '__fish_use_subcommand')}"
        for action in each._actions:
            lines += [f"complete -c sfumato {begun} {said}" for said in _fish_words(action)]
    return "\n".join(
        [*lines, f"complete -c sfumato -n '__fish_seen_subcommand_from docs' -a '{' '.join(docs.pages())}'", ""]
    )


def _fish_words(action: argparse.Action) -> Iterator[str]:
    about = f"-d {shlex.quote(action.help or '')}"
    if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage] -- argparse has no other name for it
        helps = {each.dest: each.help or "" for each in action._choices_actions}
        for name in action.choices:
            yield f"-f -a {name} -d {shlex.quote(helps.get(name, ''))}"
        return
    words = shlex.quote(" ".join(map(str, action.choices or ())))
    if not action.option_strings:
        if action.choices:
            yield f"-f -a {words}"
        return
    names = " ".join(f"-l {each[2:]}" if each.startswith("--") else f"-s {each[1:]}" for each in action.option_strings)
    takes = "" if action.nargs == 0 else f" -x -a {words}" if action.choices else " -r"
    yield f"{names}{takes} {about}"


_SHELLS: dict[str, Callable[[Parser], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
