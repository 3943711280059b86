"""Where a setting is given that somebody looked for among the options of a command."""

OTHER_NAMES = {"model": "models.default", "seed": "seeds", "seat": "seats", "arm": "arms", "repeat": "repeats"}
"""Options of `play`, by the key of an experiment that stands for each."""


def usage(error: Exception) -> str | None:
    """A sentence for an option that a command does not have, when a `--set` does what it says; None otherwise."""
    option, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    if option is None or context is None or not _sets(context):
        return None
    name = option.lstrip("-").replace("-", "_")
    found = _of_experiment(name) if "experiment" in context.command_path.split() else _of_graph(name)
    return f"there is no option {option}; say --set {found}=VALUE" if found else None


def _sets(context: object) -> bool:
    """Whether the command takes `--set`."""
    parameters = getattr(getattr(context, "command", None), "params", ())
    return any("--set" in parameter.opts for parameter in parameters)


def _of_experiment(name: str) -> str | None:
    from experiments.design.experiment import Experiment
    from orchestrator.models.settings import SAMPLING

    if name in SAMPLING:
        return f"sampling.{name}"
    key = OTHER_NAMES.get(name, name)
    return key if key.partition(".")[0] in Experiment.model_fields else None


def _of_graph(name: str) -> str | None:
    from graphs.config import GraphConfig

    return name if name in GraphConfig.model_fields else None
