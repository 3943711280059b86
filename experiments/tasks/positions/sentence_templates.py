"""The sentences on decisions at recorded positions, each with the condition under which it is printed."""

from experiments.analysis.sentence_templates import FIELDS, NUMBER, Template, field

FIELDS |= {
    "between": rf"\((?:95 % {NUMBER} to {NUMBER}|too few deals for an interval)\)",
    "rollouts": "(?: by rollouts)?",
    "sign": "(?:less|more)",
    "floor": r"(?:; noise floor [\d.]+%(?:; more than that is not shown)?)?",
    **dict.fromkeys(("least", "most"), FIELDS["percent"]),
}
NO_DECISION = Template("changes no decision in these positions", "all decisions are the baseline's")
NO_VALUE = Template("changes no value in these positions", "all decisions are worth as much as the baseline's")
LOSES = Template(
    "loses {size} points a decision{rollouts} {between}", "a positive loss, and the corrected p is below .05"
)
GAINS = Template(
    "gains {size} points a decision{rollouts} {between}", "a negative loss, and the corrected p is below .05"
)
LOSS_OPEN = Template(
    "may lose or gain, neither is shown nor excluded: {size} points {sign} a decision{rollouts} {between}, {p}",
    "the corrected p is .05 or more",
)
LOSS_NOT_CORRECTED = Template(
    "has no loss or gain significant after correction: {size} points {sign} a decision{rollouts} {between}, {p}, "
    "though the uncorrected interval excludes 0",
    "the 95 % interval excludes 0, and the corrected p is .05 or more",
)
field("loss", NO_DECISION, NO_VALUE, LOSES, GAINS, LOSS_OPEN, LOSS_NOT_CORRECTED)
FLIPS = Template("{percent} of decisions differ ({least} to {most}{floor})", "how many decisions an arm changes")
field("flips", FLIPS)
NOTE_REMOVED = Template("Without its note {flips}; it {loss}.", "the arm that removes a node's note")
NOTE_PLACEBO = Template(
    "With a placebo of the same length {flips}; it {loss}{than_none}.", "the arm with a placebo in its place"
)
THAN_NONE = Template(", {size} {sign} than no note", "the placebo and the removal are shown to differ")
FIELDS["than_none"] = f"(?:{THAN_NONE.pattern})?"
NOTE_SHUFFLED = Template(
    "With its role's note from another position {flips}; it {loss}.", "the arm with another position's note"
)
NOTE_OTHER = Template("With {other_note} {flips}; it {loss}.", "any other arm about the node's note")
OTHER_NOTES = {
    "added": "its note, which the graph had not before,",
    "exact": "its program's note",
    "perturbed": "errors in its note",
    "model": "another model's note",
    "advise": "its list as advice and all legal moves to choose from,",
    "gate": "its moves as the only ones to choose from",
}
FIELDS["other_note"] = rf"(?:{'|'.join(OTHER_NOTES.values())})(?: \([^()]+\))?"
HELP_OPEN = Template(
    "So these positions neither show nor exclude that the note helps.", "the removal is not shown to lose"
)
LENGTH_LOSES = Template(
    "So not all that is lost is the note's content: a placebo of its length loses less.",
    "the placebo is not shown to lose, and is shown to lose less than the removal",
)
CONTENT_OPEN = Template(
    "So whether it is the content is open: the placebo's loss differs neither from none nor from that.",
    "the placebo is neither shown to lose nor to lose less than the removal",
)
HELPS_BY_CONTENT = Template(
    "So the note helps by what it says; that a note on another position does worse is not shown.",
    "the placebo loses, and the other position's note is not shown to",
)
HELPS = Template(
    "So the note helps, whether by what it says or not; that a note on another position does worse is not shown.",
    "the same without a placebo",
)
CONTENT = Template(
    "So the effect survives its controls ({controls}): it is the content, on this position, that is worth it.",
    "the removal and every control are shown to lose",
)
FIELDS["controls"] = "(?:placebo|shuffle|placebo and shuffle)"
field(
    "decision",
    NOTE_REMOVED, NOTE_PLACEBO, NOTE_SHUFFLED, NOTE_OTHER, HELP_OPEN, LENGTH_LOSES, CONTENT_OPEN, HELPS_BY_CONTENT,
    HELPS, CONTENT,
)  # fmt: skip
FIELDS["decisions"] = rf"{FIELDS['decision']}(?: {FIELDS['decision']})*"
NOTE = Template("{role}: {decisions}", "for each node with an arm about its note")
FLOOR = Template("Noise floor ({arm}): asked again, {percent} of decisions differ.", "the null arm")
ALL_NOTES = Template("{arrangement}: {flips}; it {loss}.", "the arms about all notes together")
ARRANGEMENTS = {"permuted": "The notes in reverse order", "same_compute": "As many calls of one seat"}
FIELDS["arrangement"] = f"(?:{'|'.join(ARRANGEMENTS.values())})"
OWN_HAND = Template(
    "{arm} cheats: it is told the own hand, which no seat may know. {flips}; valued by the true hand, it {loss}.",
    "a cheating arm",
)
CONVENTIONS = Template(
    "Of the conventions asked about the baseline keeps {percent}; {kept}. Not corrected.",
    "positions ask for a convention",
)
KEPT = Template("{arm} {percent}{less_often}", "for each arm but the null arms")
FIELDS["less_often"] = (
    r"(?: \((?:too few deals for an interval|95 % \d+(?: (?:less|more))? to \d+(?: (?:less|more))? percentage points "
    r"(?:less|more))\))?"
)
FIELDS["kept"] = f"{KEPT.pattern}(?:; {KEPT.pattern})*"
FIELDS |= dict.fromkeys(("folder", "figure"), ".+")
UNCORRELATED = Template("{n} arms are in {folder}, too: a correlation over arms takes three.", "fewer than three arms")
EQUAL_ARMS = Template(
    "No rank correlation of {figure} with whole games: all {n} arms are equal in one of them.", "it does not exist"
)
FEW_ARMS = Template(
    "Rank correlation of {figure} with whole games over {n} arms: {size}; so few arms can be in one order by chance.",
    "fewer than six arms",
)
