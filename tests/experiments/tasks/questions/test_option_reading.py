"""Which option an answer means; whatever leaves doubt is no answer."""

import pytest

from hanabi_orchestrator.experiments.tasks.questions.option_reading import Answer, listed
from hanabi_orchestrator.experiments.tasks.questions.questions import Option
from hanabi_orchestrator.orchestrator.replies.reader import Unreadable, read

OPTIONS = tuple(
    Option(label=label, text=text)
    for label, text in (
        ("A", "No."),
        ("B", "Yes, he has only one playable card."),
        ("C", "Yes, he has several playable cards."),
        ("D", "Reveal Bob's rank 2 cards."),
        ("D", "Only his Card 4"),
    )
)


def chosen(text: str, *, cut_off: bool = False) -> Option:
    reply = read(text, Answer, listed(OPTIONS), "text", cut_off=cut_off).reply
    assert isinstance(reply, Answer)
    return reply.answer


@pytest.mark.parametrize(
    "text",
    [
        "Explanation: Yellow fits.\nAnswer: B",
        "Explanation: Yellow fits. Answer: B. Yes, he has only one playable card.",
        "Analysis: Yellow fits.\nAction: B) Yes, he has only one playable card",
        "**Explanation:** Yellow fits.\n**Answer:** **B**",
        "B",
        "(B).",
        "Option B",
        "Yes, he has only one playable card",
        "Answer: yes, he has only ONE playable card, because yellow is next",
        "Explanation: x\nAnswer: B. Yes, he has only one playable card (the yellow one).",
        '{"reason": "x", "answer": "B"}',
        "<think>C? No.</think>Explanation: x\nAnswer: B",
        "Explanation: A would be wrong, C too.\nAnswer: B",
    ],
)
def test_a_letter_a_text_or_both_name_an_option(text: str) -> None:
    assert chosen(text) == OPTIONS[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Answer: E",
        "Answer: A or B",
        "Answer: B, C",
        "Answer: not B",
        "Answer: B. No.",
        "Answer: Yes",
        "Explanation: x\nAnswer: A\nAnswer: B",
        "Explanation: x\nAnswer: B\nWait, actually C.",
        "Explanation: first Answer: A, then Answer: B",
        "Answer: B. Yes, he has only one playable card. On second thought, no.",
        "He has a yellow card.",
        "Answer: D",
        "Answer: Reveal the 2s",
    ],
)
def test_what_leaves_doubt_is_no_answer(text: str) -> None:
    with pytest.raises(Unreadable):
        chosen(text)


def test_an_answer_that_was_cut_off_is_none() -> None:
    with pytest.raises(Unreadable):
        chosen("Explanation: x\nAnswer: B", cut_off=True)


def test_of_two_options_with_one_letter_the_text_names_one() -> None:
    assert chosen("Answer: D. Only his Card 4") == OPTIONS[4]
    assert chosen("Action: I should reveal Bob's rank 2 cards.") == OPTIONS[3]
