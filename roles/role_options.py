"""Options of roles and sections: which there are, which values each may have, and the checks of what a user sets."""

from collections.abc import Mapping

from hanabi_orchestrator.orchestrator.errors import did_you_mean

Options = Mapping[str, object]
"""The value of each option, by its name."""
AllowedValues = Mapping[str, tuple[object, ...]]
"""The options there are, each with its allowed values, the default first; `int` allows any count, a
range its numbers."""


def defaults(allowed: AllowedValues) -> dict[str, object]:
    """Every option at its default."""
    return {option: values[0] for option, values in allowed.items()}


def check_declared(what: str, allowed: AllowedValues) -> None:
    """Raises ValueError with one sentence for options that are declared in another way."""
    for option, values in allowed.items():
        if not isinstance(values, tuple) or not values or isinstance(values[0], type | range):
            expected = (
                "its allowed values as a tuple, the default first, e.g. (5, 3, 'all') or (10, int)"
            )
            raise ValueError(
                f"option {option!r} of {what} is declared as {values!r}; give {expected}"
            )


def check_options(what: str, options: Options, allowed: AllowedValues) -> None:
    """Raises ValueError with one sentence for an option that does not exist, or a value that it cannot have."""
    for option, value in options.items():
        if option not in allowed:
            raise ValueError(f"{what} has no option {option!r}; {did_you_mean(option, allowed)}")
        plain = [(type(choice), choice) for choice in allowed[option]]
        number = type(value) is int and any(
            value in choice if isinstance(choice, range) else choice is int and value >= 0
            for choice in allowed[option]
        )
        if not number and (type(value), value) not in plain:
            choices = did_you_mean(value, map(in_words, allowed[option]), "it can be")
            raise ValueError(f"option {option!r} of {what} is {value!r}; {choices}")


def in_words(allowed: object) -> str:
    """An allowed value in words."""
    if isinstance(allowed, range):
        return f"a number from {allowed[0]} to {allowed[-1]}"
    return "a number" if allowed is int else str(allowed)
