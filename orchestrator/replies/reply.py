"""What a role answers: the base of all reply types, which readers and writers of answers build on."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, PrivateAttr

Options = Mapping[str, Any]
"""What a reply may choose from, by the labels in the prompt: `0`, `1` ... or `A`, `B` ...

A reply type that names options turns their texts into them where it validates; the context of its validation has them
under `moves`.
"""

Form = Literal["text", "json", "json_schema"]
"""How a model is to answer: named lines of plain text, a JSON object, or one whose schema the server is sent too."""


class Reply(BaseModel):
    """What a role answers. Models may add keys of their own; they are dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    names_moves: ClassVar[bool] = False
    """Whether it names legal moves, so that it cannot be given without being told them."""
    example: ClassVar[dict[str, Any]] = {}
    """One well-formed reply, to show the form."""
    labels: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """How fields are called in a reply of plain text, when not by their names: the first is shown, all are read."""

    programmed: ClassVar[tuple[str, ...]] = ()
    """Fields that only programs fill: no model is asked for them, and what one writes there is dropped."""

    unsaid: ClassVar[tuple[str, ...]] = ()
    """Those of them that are for programs alone, and not told to models who read the reply."""

    _text: str | None = PrivateAttr(default=None)

    @classmethod
    def asked(cls) -> tuple[str, ...]:
        """Its fields in the order in which a model is to write them."""
        return tuple(name for name in cls.model_fields if name not in cls.programmed)

    @property
    def text(self) -> str | None:
        """What the model wrote, its thinking left out; None when a program made the reply."""
        return self._text

    def of_text(self, text: str | None) -> "Reply":
        """The same reply, knowing what the model wrote."""
        made = self.model_copy()
        made._text = None if text is None else text.rpartition("</think>")[2].strip()
        return made

    def as_data(self) -> dict[str, Any]:
        """Plain data, in the order in which it is asked for."""
        data = self.model_dump(mode="json")
        return {name: data[name] for name in self.asked()}

    def besides(self) -> dict[str, Any]:
        """What only a program could fill, and did, as far as it can be told in words."""
        data = self.model_dump(mode="json", include=set(self.programmed) - set(self.unsaid))
        return {name: value for name, value in data.items() if value}
