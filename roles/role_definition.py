"""What a role is, and how its prompt is put together."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from pydantic import BaseModel

from hanabi_orchestrator import prompts
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.request import Absent, Part
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.marks import Mark
from hanabi_orchestrator.roles.notes_text import Notes, notes_for_judge, notes_text
from hanabi_orchestrator.roles.reply_types import Choice, Form, Judgement, Reply, answer_format
from hanabi_orchestrator.roles.role_options import AllowedValues, Options, defaults
from hanabi_orchestrator.roles.sections import OTHER, PROPOSAL, Fact, Section, SectionNeed, Sections
from hanabi_orchestrator.roles.words import Words

Solve = Callable[[Sections, Notes], BaseModel]
"""A role's program: the sections and the notes that a model would get -> the reply."""


def chosen_options(allowed: AllowedValues, options: Options) -> frozenset[str]:
    """Return the conditions for conditional blocks that hold with these options of a role: `steps advice`."""
    return frozenset(
        f"{name} {value}" for name, value in (defaults(allowed) | dict(options)).items()
    )


@dataclass(frozen=True)
class Role:
    """A question about a position. A model and the program get the same sections and notes."""

    name: str
    reply: type[Reply]
    takes: tuple[type[Section], ...]
    """The sections it wants; it gets those that its graph's context has."""
    needs: tuple[type[Section] | SectionNeed, ...] = ()
    """The sections without which its program cannot answer; see `Section.set_to` for one that needs an option."""
    solve: Solve | None = None
    """Its program: computes the exact reply without a model."""
    template: str | None = None
    """Its instruction for a model; None for a role that only a program plays."""
    title: str = ""
    """One line: what the role is for."""
    settled: Callable[[Sections, Notes], BaseModel | None] | None = None
    """The reply if no question is left, such as a selector's with a single candidate, or `Absent` for a role that reads
    past moves before the first one."""
    options: AllowedValues = field(default_factory=dict)
    """What a node may set for it; its program finds them in `sections.options`, its template as variables."""
    mark: Mark | None = None
    """Scores a reply once the hidden cards are known; see `roles.mark`."""
    after_game: bool = False
    """True for a role that judges finished games with hidden information: no graph may have it."""
    rests_on: tuple[Fact, ...] | None = None
    """The facts that its task asks about beside the table; None: for a role that chooses moves, what all players know
    of their cards."""
    extends: "Role | None" = None
    """The role whose instruction a model gets in place of its own, which is then added to the prompt as a part."""

    @property
    def game_names(self) -> frozenset[str]:
        """The games that it can play, by the sections that it takes; empty: any game, as for a role that takes sections
        of several games, or of none."""
        bound = [frozenset(kind.game_names) for kind in self.takes if kind.game_names]
        return frozenset.intersection(*bound) if bound else frozenset()

    def plays(self, game: str) -> bool:
        """Whether it can play a game."""
        return not self.game_names or game in self.game_names

    @property
    def asks(self) -> tuple[Fact, ...]:
        """The facts that a model needs for its task, and that its report then tells its readers."""
        chooses: tuple[Fact, ...] = (
            ("own_hand", "partner_knowledge") if issubclass(self.reply, Choice) else ()
        )
        table: tuple[Fact, ...] = (
            ("table",) if any("table" in kind.states for kind in self.takes) else ()
        )
        return (*table, *(chooses if self.rests_on is None else self.rests_on))

    @property
    def requirements(self) -> dict[type[Section], Options]:
        """The sections that its program needs, with the options that they must have."""
        requirements = dict[type[Section], Options]()
        for need in self.needs:
            if isinstance(need, SectionNeed):
                requirements[need.kind] = {need.option: need.value}
            else:
                requirements[need] = {}
        return requirements

    def lacking(self, kinds: Iterable[tuple[type[Section], Options]]) -> list[str]:
        """Return what its program needs, in words, and these sections with their options do not give."""
        sections = {kind: defaults(kind.choices) | dict(options) for kind, options in kinds}
        lacks = list[str]()
        for kind, options in self.requirements.items():
            if kind not in sections:
                lacks.append(kind.name)
            for option, value in options.items():
                if kind in sections and sections[kind][option] != value:
                    lacks.append(
                        f"{kind.name} with {option}: {value}, not {sections[kind][option]}"
                    )
        return lacks

    def settle(self, sections: Sections, notes: Notes) -> BaseModel | None:
        """The reply if no question is left; None where there is one."""
        return self.settled(sections, notes) if self.settled else None

    def answer(self, sections: Sections, notes: Notes) -> BaseModel | None:
        """What it says where no model is asked: the settled reply, else its program's; None where it has none."""
        settled = self.settle(sections, notes)
        return self.solve(sections, notes) if settled is None and self.solve else settled

    def texts(self, words: Words, wording: str | None = None) -> dict[str, str]:
        """The templates of its instruction and its addition in a language, by their roles."""
        return {
            role.name: role.instruction(words, wording) for role in (self.extends, self) if role
        }

    def instruction(self, words: Words, wording: str | None = None) -> str:
        """Its template in a language. Raises UserError when there is none.

        `wording`: the folder of prompts/roles/ whose text of the role, where it or the folder around it has one, stands
        in for its own.
        """
        if self.template is None:
            raise UserError(f"role {self.name!r} has no template: only a program plays it")
        if (text := words.replacement(f"roles/{self.name}.md")) is not None:
            return text
        while wording:
            if self.name in prompts.names(f"roles/{wording}"):
                return words.text(f"roles/{wording}/{self.name}.md")
            wording = wording.rpartition("/")[0]
        return self.template if words.lang == "en" else words.text(f"roles/{self.name}.md")

    def filling(self, template: str, options: Options) -> dict[str, object]:
        """The values of a template's variables."""
        variables = prompts.variables(template)
        return {
            name: value
            for name, value in (defaults(self.options) | dict(options)).items()
            if name in variables
        }

    def prompt(
        self,
        sections: Sections,
        notes: Notes,
        reply: type[Reply] | None = None,
        form: Form = "json_schema",
        *,
        raw: bool = False,
        brief: bool = False,
        wording: str | None = None,
        gate: str = "",
        recommenders: Collection[str] = (),
        colleagues: "Collection[Role]" = (),
    ) -> tuple[Part, ...]:
        """The prompt's named parts: the sections, the notes read, the instruction, the answer format, the addition.

        `reply`: a variant of its own type, such as one with ratings. `raw`: reports are passed on as they were written;
        `brief`: only what they conclude. `wording`: see `instruction`. `gate`: the rule by which its choice may be
        refused, in words. `recommenders`: the colleagues whose note is the list of legal moves, and no report.
        `colleagues`: the roles whose notes it reads, which its instruction may name.
        """
        words = sections.words
        written = form if raw else None
        if LegalMoves in sections:  # a shortlist shows there
            notes = {node: replies for node, replies in notes.items() if node not in recommenders}
        proposing = [role for role in colleagues if issubclass(role.reply, Choice)]
        present = sections.present(
            [*(role.name for role in colleagues), *[PROPOSAL] * bool(proposing)]
        )
        present |= chosen_options(self.options, sections.options)
        advisers = {role.name for role in colleagues if role not in proposing}
        task, *addition = [
            prompts.chosen(
                prompts.substitute(text, self.filling(text, sections.options), name),
                present | frozenset([OTHER] * bool(advisers - {*prompts.conditions(text)})),
            )
            for name, text in self.texts(words, wording).items()
        ]
        if issubclass(self.reply, Judgement):
            reason = sections.options.get("reason") != "unsaid"
            read = notes_for_judge(notes, words, written, brief=brief, reason=reason)
        else:
            ratings = sections.options.get("ratings") == "told"
            read = notes_text(notes, words, written, brief=brief, ratings=ratings)
        instructions = (
            Part("notes", read),
            Part("instruction", "\n\n".join(part for part in (task, gate) if part)),
            Part(
                "answer_format",
                answer_format(reply or self.reply, form, words, tuple(sections.entries().items())),
            ),
            Part("addition", "".join(addition)),
        )
        return tuple(part for part in (*sections.parts(present), *instructions) if part.text)

    def conditions(self) -> frozenset[str]:
        """The conditions that its options may hold for conditional blocks: `steps advice`."""
        return frozenset(
            f"{name} {value}" for name, values in self.options.items() for value in values
        )

    def misreply(self, reply: object) -> str:
        """Say what is wrong with a program's reply of another type, and how a role has nothing to say."""
        kind = "None" if reply is None else type(reply).__name__
        nothing = "; a role with nothing to say returns an Absent from its function `settled`, not from its program"
        silent = reply is None or isinstance(reply, Absent)
        return f"replied with {kind}, not with {self.reply.__name__}{nothing if silent else ''}"
