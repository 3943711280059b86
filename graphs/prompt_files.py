"""The texts that the prompts of a graph are made of, by name: what must be the same for a game to be the same."""

from hanabi_orchestrator import prompts, roles
from hanabi_orchestrator.graphs import named as library
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.roles.reply_types import answer_format

_BLOCKS = ("answer_json", "answer_text", "candidates", "judged", "refusals", "reports")
COMMON = (*(f"{block}.md" for block in _BLOCKS), prompts.PHRASES)
"""Prompt files that every graph may use."""


def hashes(config: GraphConfig) -> dict[str, str]:
    """A hash of each of its texts."""
    replaced = _replaced(config)
    digests = {name: digest for name, digest in prompts.hashes().items() if name not in replaced}
    return {
        name: digests[name] if name in digests else prompts.digest(text)
        for name, text in texts(config).items()
    }


def texts(config: GraphConfig) -> dict[str, str]:
    """The prompt files of the graph's contexts and roles, templates brought along, and answer formats.

    A context that the config holds itself is no file.
    """
    named = {
        name
        for name in (config.context, *(n.context for n in config.nodes.values()))
        if isinstance(name, str)
    }
    contexts = {f"contexts/{name}.yaml": library.contexts()[name].text for name in named}
    contents = prompts.contents()
    templates = dict[str, str]()
    files = set[str]()
    for name, node in config.nodes.items():
        context = config.context_of(name)
        role = config.role(name)
        used = [file for section in context.names for file in context.files(section)]
        files |= {prompts.path(file, context.lang) for file in (*COMMON, *used)}
        brought = {
            item: roles.SECTIONS[item]
            for item in context.names
            if roles.SECTIONS[item].template is not None
        }
        contexts |= {f"sections/{item}.md": kind.wording() for item, kind in brought.items()}
        instructions = (
            {node.role: ""}
            if role.template is None
            else role.texts(context.words, config.wording_of(name))
        )
        templates |= {
            prompts.path(f"roles/{name}", context.lang): text for name, text in instructions.items()
        }
        if role.template is not None:
            templates[f"answers/{name}"] = answer_format(
                context.reply(role), context.answer_format, context.words
            )
    additions = {name: text for name, text in contexts.items() if name not in contents} | templates
    if config.verify.rule == "safety":
        files.add(prompts.path("gate.md", config.context_of(config.decides).lang))
    packaged = {name: contents[name] for name in sorted({*files, *contexts} & set(contents))}
    replaced = _replaced(config)
    return {
        name: replaced.get(name, text)
        for name, text in (packaged | dict(sorted(additions.items()))).items()
    }


def _replaced(config: GraphConfig) -> dict[str, str]:
    """The texts that stand in the place of others, by the names that `texts` gives them, in every language."""
    if not config.texts:
        return {}
    names = {
        name: name.removesuffix(".md") if name.startswith("roles/") else name
        for name in config.texts
    }
    languages = {config.context_of(node).lang for node in config.nodes}
    return {
        prompts.path(names[name], lang): text
        for name, text in config.texts.items()
        for lang in languages
    }
