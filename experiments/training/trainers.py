"""TRL's trainer of each kind of data set, with LoRA, and its settings on this machine."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from hanabi_orchestrator.experiments.record import rewards
from hanabi_orchestrator.experiments.training.rows import Kind
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean

LORA = "lora."
"""How settings of the adapter begin: `lora.r`."""
REWARDS = "rewards"
"""The setting that names functions of experiments.rewards, with commas between, for GRPO."""
KNOWN_REWARDS = ("move_value", "scaled_move_value", "own_rating", "score_change", "final_score")
COMMON: Final[Mapping[str, Any]] = {
    "num_train_epochs": 1,
    "per_device_train_batch_size": 4,
    "gradient_accumulation_steps": 1,
    "lr_scheduler_type": "linear",
    "warmup_steps": 10,
    "logging_steps": 10,
    "save_steps": 50,
    "save_total_limit": 1,
    "seed": 1,
    "report_to": [],
    "disable_tqdm": True,
    "gradient_checkpointing": False,
}
OF_KIND: Final[Mapping[Kind, Mapping[str, Any]]] = {
    "sft": {"learning_rate": 5e-4, "completion_only_loss": True},
    "dpo": {"learning_rate": 5e-5, "beta": 0.1},
    "grpo": {
        "learning_rate": 2e-5,
        "per_device_train_batch_size": 8,
        "num_generations": 8,
        "max_completion_length": 24,
        "temperature": 1.0,
        REWARDS: "scaled_move_value",
    },
}
OF_LORA: Final[Mapping[str, Any]] = {
    "lora.r": 16,
    "lora.lora_alpha": 32,
    "lora.target_modules": "all-linear",
}


def settings(kind: Kind, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings of a training: those of TRL's config of this kind, and of PEFT's after
    `lora.`.

    Raises UserError for a setting that neither has.
    """
    import trl
    from peft import LoraConfig

    names = set(getattr(trl, f"{kind.upper()}Config").__dataclass_fields__)
    names |= {LORA + name for name in LoraConfig.__dataclass_fields__}
    if kind == "grpo":
        names.add(REWARDS)
    for name in changes:
        if name not in names:
            hint = did_you_mean(name, sorted(names), f"a training of {kind} has")
            raise UserError(f"--set {name}: {hint}")
    return {**COMMON, **OF_KIND[kind], **OF_LORA, **changes}


def trainer(
    kind: Kind, model: Any, tokenizer: Any, rows: Any, chosen: Mapping[str, Any], folder: Path
) -> Any:
    """Return the trainer of a kind. Raises UserError for values that TRL or PEFT refuse."""
    import torch
    import trl
    from peft import LoraConfig

    of_lora = {}
    for name, value in chosen.items():
        if name.startswith(LORA):
            of_lora[name.removeprefix(LORA)] = value
    of_trl = {}
    for name, value in chosen.items():
        if not name.startswith(LORA) and name != REWARDS:
            of_trl[name] = value
    accelerated = torch.cuda.is_available()
    machine = {"output_dir": str(folder), "use_cpu": not accelerated, "bf16": accelerated}
    names = str(chosen[REWARDS]).split(",") if kind == "grpo" else []
    for name in names:
        if name not in KNOWN_REWARDS:
            setting = f"--set {REWARDS}={chosen[REWARDS]}"
            raise UserError(f"{setting}: {did_you_mean(name, KNOWN_REWARDS, 'a reward can be')}")
    functions = {"reward_funcs": [getattr(rewards, name) for name in names]} if names else {}
    try:
        args = getattr(trl, f"{kind.upper()}Config")(**{**machine, **of_trl})
        adapter = LoraConfig(task_type="CAUSAL_LM", **of_lora)
        make: Callable[..., Any] = getattr(trl, f"{kind.upper()}Trainer")
        return make(
            model=model,
            args=args,
            train_dataset=rows,
            processing_class=tokenizer,
            peft_config=adapter,
            **functions,
        )
    except (TypeError, ValueError) as error:
        raise UserError(f"the settings do not fit: {error}") from None
