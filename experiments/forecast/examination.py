"""Whether a model can play a graph: all checks of `doctor`, in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hanabi_orchestrator.experiments.forecast import machine, online, room
from hanabi_orchestrator.experiments.forecast.checklist import Checklist
from hanabi_orchestrator.experiments.forecast.cost_estimate import served
from hanabi_orchestrator.experiments.study import prompt_positions
from hanabi_orchestrator.experiments.study.file_schema import Model
from hanabi_orchestrator.experiments.study.prompt_positions import NodeNeed, Probed
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.interventions import dotted
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator import event_loop
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import layer, list_prices
from hanabi_orchestrator.orchestrator.models.request import ModelRequest
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.models.transport import Transport
from hanabi_orchestrator.orchestrator.replies.reply import Form
from hanabi_orchestrator.roles import Choice


def model(checklist: Checklist, settings: ModelSettings) -> Transport | None:
    """Return the model's client; None where it cannot be made. Its key is looked for and never
    printed."""
    sampling = ", ".join(f"{name} {value}" for name, value in settings.sampling.items())
    where = settings.url or settings.provider
    checklist.ok(
        "model",
        f"{settings.name} at {where}; sent with every request: "
        f"{sampling or 'no sampling settings'}",
    )
    try:
        client = layer.transport(settings)
        keys = client.secrets
    except UserError as error:
        checklist.fail("key", str(error))
        return None
    if settings.provider is None:
        checklist.ok(
            "key",
            "the environment has one"
            if keys
            else "none is set; most servers of your own need none",
        )
    return client


def price(checklist: Checklist, settings: ModelSettings) -> None:
    """Check that a price is known."""
    if settings.price is not None:
        checklist.ok(
            "price",
            f"${settings.price.input:g} in, ${settings.price.output:g} out per million tokens",
        )
    elif caution := list_prices.caution([settings]):
        checklist.warn("price", caution)
    else:
        checklist.warn(
            "price",
            "unknown: no money is counted, and no --budget in usd can be; set `price: {input: X, "
            "output: Y}`, 0 for a server of your own",
        )


FORMS: tuple[Form, ...] = ("text", "json", "json_schema")


def examine(
    models: Mapping[str, Model], config: GraphConfig, players: int, *, requests_allowed: bool
) -> Checklist:
    """Check this machine in short, and each model by its name; online only where
    `requests_allowed`. Raises UserError for a player count that the graph is not for."""
    checklist = Checklist()
    checklist.findings += machine.examine().short("packages")
    paid = {}
    for name, model in models.items():
        if settings := served(model):
            paid[name] = settings
    for name in models.keys() - paid.keys():
        checklist.ok(name, f"{models[name]}: no language model, so nothing to check")
    if not paid:
        return checklist
    examination = Examination(
        config, players, prompt_positions.positions(config, players), requests_allowed
    )
    for name, settings in paid.items():
        examination.model(checklist.of(name) if len(paid) > 1 else checklist, name, settings)
    if not requests_allowed:
        checklist.warn("online", "no request was made; --online asks each model a few questions")
    return checklist


@dataclass(frozen=True)
class Examination:
    """A graph that models are to play, at a player count."""

    config: GraphConfig
    players: int
    probed: Sequence[Probed]
    requests_allowed: bool

    def model(self, checklist: Checklist, name: str, settings: ModelSettings) -> None:
        """Check a model by the name that it has in the graph."""
        client = model(checklist, settings)
        price(checklist, settings)
        needs = []
        for need in prompt_positions.needs(self.config, self.players, self.probed):
            if need.model == name:
                needs.append(need)
        seen = None
        if client is not None and needs and self.requests_allowed:
            seen = event_loop.run_anywhere(self._asked(checklist, settings, client, needs))
        measure = seen.measure if seen else None
        if needs:
            room.answers(checklist, settings, needs, measure)
        length = settings.context_length or (seen.info.context if seen else None)
        if needs and (seen or length):
            room.context(checklist, settings, needs, length, measure)
        if seen and measure:
            room.patience(checklist, settings, measure, seen.info.slots)
        room.game(checklist, settings, self.config, self.players, name, measure)

    async def _asked(
        self,
        checklist: Checklist,
        settings: ModelSettings,
        client: Transport,
        needs: Sequence[NodeNeed],
    ) -> online.Online | None:
        """Ask a question in every answer format, and each reply type's schema, at the middle of a
        game: a question of a node that chooses a move, if one can, with the shortest prompt."""
        middle = self.probed[len(self.probed) // 2]
        asked: dict[Form, Mapping[str, ModelRequest]] = {}
        for form in FORMS:
            graph = at(dotted(self.config, [f"answer_format={form}"]), self.players)
            asked[form] = requests(graph, middle.view, middle.notes, middle.memory)
        choosing = [need for need in needs if issubclass(middle.requests[need.node].reply, Choice)]
        node = min(choosing or needs, key=lambda need: need.prompt).node
        names = {need.node for need in needs}
        kinds = {}
        for name, request in asked["json_schema"].items():
            if name in names:
                kinds[request.reply] = request
        questions = {form: asked[form][node] for form in FORMS}
        own_form = at(self.config, self.players).context_of(node).answer_format
        return await online.examine(
            checklist, settings, client, questions, list(kinds.values()), own_form
        )
