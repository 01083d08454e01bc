"""A lesson as a page: the story, what an attack achieved before and after, and how to run it."""

from sfumato.attacks.lesson import Lesson, Result


def page(lesson: Lesson, result: Result, image: str) -> str:
    """The page in Markdown."""
    rows = "\n".join(
        f"| {'after' if side.protected else 'before'} | {side.answerer} | {side.rate} |" for side in result.sides
    )
    remarks = "\n".join(f"- {remark[0].upper()}{remark[1:]}." for remark in result.remarks)
    return f"""# {lesson.title}

{_wrapped(lesson.story)}

![{lesson.title}]({image})

## Before and after

Success: {result.success}.

| | who answered | attack succeeds |
|---|---|---|
{rows}
| guessing | {result.chance.guess} | {result.chance} |

{remarks}

## What protects

{_wrapped(lesson.defence)}

## Run it

```console
$ sfumato attack {lesson.name}
```

Source: {lesson.source}. The figures are those of one run; yours will differ by chance, within the intervals.
"""


def _wrapped(text: str) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, 118))
