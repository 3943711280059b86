"""The sentences that say what a run shows, each with the condition under which it is printed.

A report, a terminal and the page print no other sentence about an effect, and tests match every
printed sentence with this list; `tests/support/sentences.py` says what may stand in its fields.
"Not shown" is never "none": without a significant difference a sentence says that one is not
excluded.
"""

from dataclasses import dataclass

CHANCE = "chance"
LENGTH = "the length of the prompt"
ANY_NOTE = "that any plausible note would do"
CALLS = "that the baseline asks more often"
CALLS_SHORT = "the number of calls"
"""What else could explain the effect of a role."""
PADDED = "a note as long that says it is empty"
PLACEBO = "a placebo"
FOREIGN = "the note of another game"


@dataclass(frozen=True)
class Template:
    """A sentence, or a part of one, with fields in braces."""

    text: str
    when: str
    """The condition under which it is printed."""

    def __call__(self, **values: object) -> str:
        return self.text.format(**values)


# The parts of a difference
INTERVAL = Template("95 % interval {low} to {high}", "the test can reject some difference at .05")
NO_INTERVAL = Template("no 95 % interval", "the test can reject none")
ESTIMATE = Template("{interval}, {p}, {n} {units}{averaged}{alike}", "a difference was tested")
NO_ESTIMATE = Template("{n} {units}: no conclusion", "nothing could be tested")
SCORES_LESS = Template("scores {size} {unit} less than {than}", "a negative difference in a score")
SCORES_MORE = Template("scores {size} {unit} more than {than}", "a positive difference in a score")
SCORES_ALIKE = Template("scores as much as {than}", "no difference in the mean of a score")
HAS_FEWER = Template(
    "has {size} fewer {unit} than {than}", "a negative difference in another metric"
)
HAS_MORE = Template("has {size} more {unit} than {than}", "a positive difference in another metric")
HAS_ALIKE = Template(
    "has as much as {than} ({unit})", "no difference in the mean of another metric"
)

# What the sentence of an arm adds after a semicolon
NO_VALUE = Template(
    "games left out because they have no value: {games}", "the metric is unknown for some games"
)
NO_COUNTERPART = Template(
    "games left out because they have no counterpart: {games}",
    "some pairs, or player counts of a deal, are incomplete",
)
OTHER_BESIDE = Template(
    "by the {metric} score {change} ({interval}), not tested, since the score that the run "
    "names shows no difference",
    "the score shows no difference, and the uncorrected interval of the other one excludes 0",
)
OTHER_OPEN = Template(
    "by the {metric} score it is not shown ({p})", "the other score does not show the difference"
)
DETECTS = Template(
    "{n} {units} reach 80 % power only from {size} {unit} on",
    "no difference is shown, in few deals, and the power is known",
)
LEAST_P = Template(
    "no p below {least} is possible with {n} {units} and {family}",
    "the uncorrected interval excludes 0, and p can be below .05 only if all deals agree",
)
LACKS = Template(
    "it lacks {removed}", "an arm removes nodes or sections that its name does not name"
)
CONTROLS_HOLD = Template(
    "{explanations} not explain it", "a shown effect of a role survives every control"
)
CONTROLS_ALIKE = Template(
    "with {notes} the {metric} differs in the same direction; they may also mislead",
    "a role's effect is shown, and so is that of notes which may mislead",
)
CONTROL_EXPLAINS = Template(
    "a control explains at least part of it", "a control is shown to explain a role's effect"
)
CONTROLS_OPEN = Template(
    "its controls leave open why", "a role's effect is shown, and a control decides nothing"
)
CONTROLS_MISSING = Template(
    "not ruled out: {readings}", "a role's effect is shown, and a control is missing"
)
STRIKE_OUTS = Template(
    "{n} of {of_games} struck out, strict score {low}, kept score {high}",
    "at least half of its games were struck out",
)

# An arm beside its baseline
SHOWN = Template("{arm} {difference} ({estimate}){more}.", "the corrected p is below .05")
FLATTERED = Template(
    "{arm}: no difference from {than} is claimed ({change}; {estimate}), because the one with "
    "the higher score struck out more often{more}.",
    "p is below .05, in favour of the one with more strike-outs, and one of both has them in "
    "one to four deals",
)
SPENT = Template(
    "{arm}: no difference from {than} is claimed ({change}; {estimate}), because the run was "
    "extended, which this p does not allow for{more}.",
    "p is below .05 in a run that was extended after its planned end",
)
EXTENDED = Template(
    "This run was extended {steps}: p is not nominal, so nothing is claimed of what was added; "
    "new deals in another folder can show it.",
    "deals, player counts, repeats or arms were added when enough deals were finished to "
    "show something",
)
RARELY = Template(
    "{than} struck out in {theirs} of {n} {units}, {arm} in {ours}, too few to tell how often",
    "the strict score is compared, and one of both has strike-outs in one to four deals",
)
NEVER = Template(
    "neither struck out in these {units}",
    "a difference in the strict score is claimed, and nobody struck out",
)
NOT_CORRECTED = Template(
    "{arm}: the difference from {than} is not significant after correction ({change}; "
    "{estimate}), although the uncorrected interval excludes 0{more}.",
    "the 95 % interval excludes 0, and the corrected p is .05 or more",
)
OPEN = Template(
    "{arm}: a difference from {than} is neither shown nor excluded ({change}; {estimate}){more}.",
    "the 95 % interval contains 0",
)
EQUAL = Template(
    "{arm} {difference} in each of {n} {units}{averaged}{alike}; it may differ in up to "
    "{percent} of other {units} (95 % confidence){more}.",
    "the mean is equal in every deal, in games that are not the same",
)
SHOWN_EACH = Template(
    "{arm} {difference} in each of {n} {units}{averaged} ({p}){alike}; it may differ in up to "
    "{percent} of other {units} (95 % confidence){more}.",
    "the same difference in every deal, and the corrected p is below .05",
)
OPEN_EACH = Template(
    "{arm}: a difference from {than} is neither shown nor excluded ({change} in each of {n} "
    "{units}{averaged}, {p}){alike}{more}.",
    "the same difference in every deal, and the corrected p is .05 or more",
)
SAME_GAMES = Template(
    "{arm} and {than}: the same games in {n} of {n} {units}, move by move, so this run "
    "cannot compare them{more}.",
    "every pair of games is the same, move by move",
)
UNTESTED = Template(
    "{arm}: inconclusive beside {than} ({change}, {n} {units}): with {n} {units} and {family} no "
    "effect could reach p < .05{more}.",
    "no p could be below .05 after correction; on its own, beside one arm",
)
UNTESTED_ARMS = Template(
    "With {n} {units} and {family} to compare, no effect could reach p < .05, however "
    "large{enough_deals}. Differences from {than}, in {unit}, inconclusive: {changes}.",
    "the same, once for all arms of a run",
)
ENOUGH = Template("; with {enough} deals it could", "deals are the unit")
SINGLE = Template(
    "{arm}: {change} beside {than} in one pair of games, which allows no conclusion{more}.",
    "a single pair of games",
)
SHUT = Template(
    "{arm}: not tested beside {than}, since the effect of {gate} is not shown ({change}; "
    "{interval}){more}.",
    "a control of a role whose removal is not shown to have an effect; a second metric where "
    "the first shows none",
)
REPEATED = Template(
    "{arm}: {change} beside {than}; all {n} repeats are the same game, so they allow no "
    "conclusion{more}.",
    "one deal, whose repeats are all the same game",
)
OTHERS = Template(
    "Of {more_arms} a difference from {than} is neither shown nor excluded; the table has their "
    "intervals.",
    "more arms without a significant difference than a verdict names",
)
BESIDE = Template(
    "By the {metric} score: {sentence}", "arms are compared by another metric than a score"
)
WITHHELD = Template(
    "No comparison is made with {arms}: fewer than {percent} of the moves are the model's own.",
    "too few own moves",
)

IN_TERMS = Template(
    "It is compared by the terms of its design of coalitions, not by itself.",
    "the arm of a coalition, on the page's and in JSON's row of it",
)

# Beside the arms of a verdict
GRAPHS = Template(
    "{arms} differ in more than their roles: {aspects}.",
    "arms have another graph than the baseline, with another verifier, context, number of "
    "calls, or models",
)
ROOM = Template(
    "{than} scores {value} of 25 in {of_games}, so no arm can score {size} points more, and "
    "single errors cost so strong a seat little. What has room: more players, partners who are "
    "strangers (adhoc), a metric such as mark:aggregator.regret, or positions (task: positions).",
    "the baseline is within two points of a perfect score, and within the effect that is "
    "planned or detectable",
)
NO_GRAPHS = Template(
    "{arms} differ from {than} in more than their roles: what plays there is no graph file.",
    "arms are played by a partner or a Python seat, or the baseline is",
)
SEATS = "; the report's table of seats lists them"
FAULTS = Template(
    "Faults per game that change beside {than}, corrected for {comparisons}: {faults}; see Roles "
    "in the report.",
    "moves are marked, and the difference in a fault is shown after correction for all "
    "faults of all arms",
)
FAULT = Template(
    "{fault}, {size} {sign} in {arm} ({estimate})", "for each of the largest of these differences"
)
STRUCK_OUT = Template("{arm}: {struck_out}.", "most games of the baseline were struck out")

# Beside the verdict
PLANNING = Template(
    "For planning only: with 80 % power, another experiment of this size detects a true "
    "difference of {effects}, corrected for {family}, if differences vary as they do here.",
    "an arm shows no difference, and the power of its test is known",
)
FEW_FOR_BOOTSTRAP = Template(
    "Bootstrap intervals of so few deals ({n} in {arms}) hold the true mean less often than 95 "
    "%: in simulations in 62 to 84 % of samples of five deals, and in 87 to 93 % of ten. "
    "Student's t, the default, is better here.",
    "intervals of means are bootstrap ones, and an arm has fewer than ten deals",
)
RARE_STRIKE_OUTS = Template(
    "Too few deals were struck out to estimate how often that happens: one to {n} in {rare} (up "
    "to {percent} of games are possible), so the coverage of 95 % intervals of these strict "
    "scores, and of differences among them, may be below 95 %.",
    "arms are compared by the strict score, and an arm has strike-outs in one to four deals",
)

# Arms that test nothing
NOISE_FLOOR = Template(
    "{arm} plays {than} once more: it differs from itself by {change} ({interval}), by "
    "chance alone.",
    "the noise floor",
)
NOISE_FLOOR_SAME = Template(
    "{arm} plays {than} once more: the same games in {n} of {n} {units}.",
    "the noise floor of exact players",
)
CHEATS = Template(
    "{arm} sees its own cards: {change} beside {than} ({interval}), an upper line and not a "
    "comparison.",
    "a cheating arm",
)

# A role beside its controls
NOT_REMOVED = Template(
    "{role}: no arm removes {it}, so the controls have no effect to explain.",
    "only controls were played",
)
REMOVAL_OPEN = Template(
    "{role}: an effect of {removal}{effect} is neither shown nor excluded.",
    "the removal's corrected p is .05 or more",
)
REMOVAL_UNTESTED = Template(
    "{role}: the effect of {removal}{effect} is inconclusive: with {n} {units} and {family} no "
    "effect could reach p < .05.",
    "no p could be below .05 after correction",
)
REMOVAL_SAME = Template(
    "{role}: without {it} the same games were played, move by move.", "the removal changes no game"
)
CHANCE_EXPLAINS = Template(
    "the baseline differs from itself{effect}, so chance may explain it",
    "the noise floor's p is below .05",
)
NOTE_EXPLAINS = Template(
    "{note} has no significant effect of its own{effect}, and the removal differs from "
    "it{beside}, so part of the effect is not what the note says",
    "a control shows no effect, and the removal is shown to differ from it",
)
RULES_OUT = Template("no arm rules out {readings}", "a control was not played")
HARMS = Template(
    "the placebo changes the {metric} more than the removal{effect}, so it misleads",
    "the placebo is shown to change more than the removal",
)
CHANCE_OPEN = Template(
    "chance is not ruled out: beside the baseline played once more the effect is not "
    "significant{beside}",
    "the removal is not shown to differ from the noise floor",
)
NOTE_OPEN = Template(
    "{note} leaves open whether its content matters: neither its own effect{effect} nor its "
    "difference from the removal{beside} is significant",
    "a control shows no effect, and is not shown to differ from the removal",
)
CALLS_OPEN = Template(
    "as many calls as the baseline's are not shown to score otherwise{effect}, so the number "
    "of calls may explain it",
    "an arm has as many calls as the baseline, and its difference in the same direction is "
    "not shown",
)
SURVIVES = Template(
    "{explanations} not explain it; with {notes} the {metric} differs in the same direction, "
    "too{mislead}",
    "every control excludes its reading",
)
MISLEAD = "; the note of another game may also mislead"
REMOVAL_SHOWN = Template(
    "{role}: {removal} shows an effect{effect}; {reasons}.",
    "the removal's corrected p is below .05",
)

# The marks of a role
PROGRAMS_MARKED = Template(
    "All roles were answered by their programs, which are exact by what a seat may know: their "
    "marks are the standard for other answers, and test no model.",
    "no role asked a model",
)
MARKS_UNTESTED = Template(
    "With {deals} and {comparisons} no mark of a role can differ significantly from its "
    "program's or a uniform guess's.",
    "once for all roles, where no sign-flip test of the marks can reject",
)
UNMARKABLE = Template(
    "Whether its notes were right cannot be marked: they state nothing that has a true value.",
    "the role has no such mark",
)
EXACT = Template(
    "Its program answered, so its notes are exact by what the seat may know.",
    "only its program answered",
)
MARK = Template(
    "Its notes: {marks}.", "the role has marks: the first of them, with its mean and its standards"
)
COUNTED = Template(
    "{counts} (over {deals}, Holm-corrected for {comparisons} of roles with these).",
    "its marks were tested beside its program's and a uniform guess's",
)
FOLLOWED = Template(
    "Its first choice was played in {share} of {of_turns} with a move of the kind that it "
    "proposes; in {percent} another move was played though its own was worth at least half a "
    "point more at once, in {wrong} its own though another was worth so much more.",
    "the role proposes moves",
)
REFUSED = Template("It refused {share} of {choices}{gain}.", "the role accepts or refuses moves")
GAIN = Template(
    "; a refusal gained {size} points at once on average{bounds}", "the values of moves are known"
)
DECIDES = Template("It decides, so its choices are the moves.", "the role chooses the move")
UNREAD = Template(
    "Whether its notes were used cannot be read from moves: it proposes none.", "any other role"
)
ROLE = Template("{role}: {parts}", "for each role whose notes have marks")
ROLE_OF_ARM = Template(
    "{role}, in arm {arm}: {parts}", "a role that only other arms than the baseline have"
)

# Arms that add a role
ADDED_SAME = Template(
    "Every move of {of_games} is the same: its notes change no move.",
    "no game differs from the baseline's",
)
ADDED_OTHER = Template(
    "Moves differ in {n} of {of_games}, at the median from turn {turn} on; the first other move is "
    "{moves}.",
    "games differ",
)
ADDED_PLAYED = Template(
    "The proposal of {role} was played in {percent} of {of_turns}.", "the role proposes moves"
)
ADDED = Template("{arm} adds {role}. {added}{played}", "for each arm that only adds roles")

# Ad-hoc teams
ADHOC_UNMEASURED = Template(
    "{team} is not measured in ad-hoc teams: {unmeasured}.", "there is no mean over partners"
)
SELF_PLAY = Template(
    ", {size} against its own self-play{over_deals}", "the evaluated seat plays with itself, too"
)
ALONE = Template(
    "; {who} {size} among themselves", "all of these partners play with themselves, too"
)
FRIENDS = Template(
    " Left out of that mean, for they are no strangers to it: {friends}.",
    "partners of its own kind are in the pool",
)
ADHOC = Template(
    "With {partners} held out for it, {team} scores {size} of 25 on "
    "average{over_deals}{against}{alone}. This holds for these partners only.{left_out}",
    "deals were played with all held-out partners",
)

# Coalitions
COALITION_BY = Template(
    "{absence}: {coalition_sentence}",
    "parts are absent in several ways: each way has its own sentences",
)
COALITION_WHOLE = Template(
    "{full} scores {amount} than {none} ({estimate}{still_open}){counts_named}: what "
    "{whole_worth}.",
    "a design of coalitions, by a score",
)
COALITION_WHOLE_OTHER = Template(
    "{full} has {amount} than {none} ({estimate}{still_open}){counts_named}: what {whole_change}.",
    "the same by another metric",
)
COALITION_WHOLE_SAME = Template(
    "{full} and {none} are worth as much: nothing differs in {deals}{counts_named}.",
    "all parts change nothing",
)
COALITION_TERMS = Template(
    "{title} (95 % intervals, {corrected_for}{deals}): {terms}.",
    "for the kind of term that was named before the run",
)
COALITION_TERM = Template(
    "{component} {mean} ({limits}p {chance}{still_open})", "for each term of that kind"
)
COALITION_OPEN = Template("; neither shown nor excluded", "the term's corrected p is .05 or more")
COALITION_FLATTERED = Template(
    "; not claimed, since it favours arms that struck out more often, one of them in one to "
    "four deals",
    "p is below .05, and points and strike-outs of the strict score have the same sign",
)
COALITION_SPENT = Template(
    "; not claimed, because the run was extended",
    "p is below .05 in a run that was extended after its planned end",
)
COALITION_SAME = Template(
    "{component} 0 (nothing differs)", "a part changes no game, or no decision's value"
)
COALITION_UNTESTED = Template(
    "{title}; inconclusive, since with {deals} no effect could reach p < .05: {terms}.",
    "no p could be below .05 after correction",
)
DISAGREE_MORE = Template(
    "{component}: leave-one-out ({worth}) is not its share ({value}). The difference of {gap} is "
    "shown ({estimate}): it adds more where all others are there than on average over all orders.",
    "leave-one-out less the Shapley value is shown to be a gain",
)
DISAGREE_LESS = Template(
    "{component}: leave-one-out ({worth}) is not its share ({value}). The difference of {gap} is "
    "shown ({estimate}): it adds less where all others are there than on average over all orders.",
    "leave-one-out less the Shapley value is shown to be a loss",
)
COMPLEMENTARY = Template(
    "{components} are complementary: each is worth {size} {unit} more where the other is "
    "there ({estimate}).",
    "the interaction of two parts is shown, and is a gain",
)
REDUNDANT = Template(
    "{components} are redundant: each is worth {size} {unit} less where the other is there "
    "({estimate}).",
    "the interaction of two parts is shown, and is a loss",
)
INTERACT = Template(
    "{components} interact: each adds {change} more where the other is there ({estimate}).",
    "the interaction of two parts is shown, in a metric of which neither side is better",
)
NO_INTERACTION = Template(
    "Of {pairs}, no interaction is shown, and none is excluded{detects}.",
    "no interaction of two parts is shown",
)
NO_INTERACTION_OF_BOTH = Template(
    "Between {components} no interaction is shown, and none is excluded{detects}.",
    "the same where there are two parts",
)
DETECTS_INTERACTION = Template(
    "; so many deals show one from {size} {unit} on in 80 % of such runs",
    "the power of its test is known",
)
ALONE_HARMS = Template(
    "{component} alone does harm: {change} beside {none} ({estimate}).",
    "what a part adds to none is shown to be a loss",
)
MORE_PAIRS = Template(
    "The table has {more_shown}.", "more interactions are shown than a verdict names"
)
OWN_CONTRAST = Template(
    "{name}: {weights} is {change} ({estimate}){still_open}.",
    "for each combination of arms that an experiment names",
)
OWN_CONTRAST_UNTESTED = Template(
    "{name}: {weights} is {change} in {n} {units}, inconclusive.",
    "the same without a test that could reject",
)
