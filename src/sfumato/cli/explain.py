"""`sfumato explain`: what a question would do and cost, for nothing and without reading data."""

import argparse

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator import Explanation, words


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question and its price."""
    asking.price_arguments(parser)
    parser.add_argument("--sql", action="store_true", help="for the owner: also what the engine would be asked")
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Explain; the exit code says whether the budget would allow it."""
    with asking.opened(arguments) as session:
        question, price = asking.question_of(arguments), asking.price_of(arguments)
        made = session.explain(question, **price)
        statements = session.statements(question, **price) if arguments.sql else ()
    if arguments.json:
        terminal.emit({**made.to_json(), **({"statements": list(statements)} if arguments.sql else {})})
    else:
        show(made)
        for statement in statements:
            terminal.write(f"{statement};\n")
    if not made.affordable:
        terminal.say("the budget would refuse it")
    return Exit.DONE if made.affordable else Exit.REFUSED


def show(made: Explanation) -> None:
    """Plan, mechanisms, errors, cost."""
    terminal.show("\n".join(words.plan(made.plan)))
    others = {"not chosen": words.not_chosen(made.not_chosen[0])} if made.not_chosen else {}
    bounding = words.bounding(made.bounding)
    terminal.show(terminal.facts({"groups": words.groups(made.groups), "bounding": bounding, **others}))
    rows = [words.mechanism(each) for each in made.mechanisms]
    terminal.show(terminal.table(("measures", "by", "share", "error"), rows))
    sure = f"{100 * float(made.confidence):g} %"
    columns = [(each.name, words.error(each.error)) for each in made.columns]
    terminal.show(terminal.table(("column", f"expected error, {sure} of the time"), columns))
    terminal.show(terminal.facts({"cost": made.cost, **words.afterwards(made), "asked of": made.engine}))
    for note in made.notes:
        terminal.say(note.text)
