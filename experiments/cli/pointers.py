"""Plain sentences for mistakes in the options of a command: a bad value, or an option that is a setting."""

from pydantic import ValidationError

from orchestrator.errors import complaint

OTHER_NAMES = {"model": "models.default", "seed": "seeds", "seat": "seats", "arm": "arms", "repeat": "repeats"}
"""Options of `play`, by the key of an experiment that stands for each."""


def usage(error: Exception) -> str | None:
    """A sentence for a bad value, or for an option in whose place a `--set` does what it says; None otherwise."""
    if isinstance(error.__cause__, ValidationError):
        parameter = getattr(error, "param", None)
        return complaint(error.__cause__.errors()[0], parameter.opts[0] if parameter else "")
    option, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    if option is None or context is None or not _sets(context):
        return None
    name = option.lstrip("-").replace("-", "_")
    setting = _of_experiment(name) if "experiment" in context.command_path.split() else _of_graph(name)
    return f"there is no option {option}; say --set {setting}=VALUE" if setting else None


def _sets(context: object) -> bool:
    """Whether the command takes `--set`."""
    parameters = getattr(getattr(context, "command", None), "params", ())
    return any("--set" in parameter.opts for parameter in parameters)


def _of_experiment(name: str) -> str | None:
    from experiments.study.experiment import Experiment
    from orchestrator.models.settings import SAMPLING

    if name in SAMPLING:
        return f"sampling.{name}"
    key = OTHER_NAMES.get(name, name)
    return key if key.partition(".")[0] in Experiment.model_fields else None


def _of_graph(name: str) -> str | None:
    from graphs.config import GraphConfig

    return name if name in GraphConfig.model_fields else None
