"""Models that are trained: read by name, from a folder, a GGUF file or an earlier training, and
written for servers."""

from pathlib import Path
from typing import Any

from hanabi_orchestrator.orchestrator.errors import UserError, nearby

ADAPTER = "adapter"
MERGED = "merged"
GGUF = "model.gguf"
"""Of a training's folder: the LoRA adapter, and the model with it, as transformers' folder or as a
GGUF file."""


def load(name: str) -> tuple[Any, Any]:
    """Return a model and its tokenizer: a name on the hub, or a path. Raises UserError for what
    cannot be read."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    path = Path(name)
    if path.suffix == ".gguf" and not path.is_file():
        raise UserError(f"there is no model at {name!r}{nearby(path)}")
    of_file = {"gguf_file": path.name} if path.suffix == ".gguf" else {}
    place = str(path.parent) if of_file else name
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, **of_file)
        model = AutoModelForCausalLM.from_pretrained(place, dtype=precision(), **of_file)
    except (OSError, ValueError, ImportError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"{name!r} is no model that transformers reads: {first}") from None
    if tokenizer.chat_template is None:
        raise UserError(f"{name!r} has no chat template; take an instruct model")
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    if not of_file:
        return model, tokenizer
    # trainers refuse a model that was quantized, though its numbers no longer are: it becomes one
    # as any other
    config = type(model.config)(**{**model.config.to_dict(), "quantization_config": None})
    vars(config).pop("quantization_config", None)
    fresh = type(model)(config).to(dtype=model.dtype, device=model.device)
    fresh.load_state_dict(model.state_dict())
    return fresh, tokenizer


def adapted(model: Any, adapter: Path) -> Any:
    """Return a model with an adapter merged in."""
    from peft import PeftModel

    return PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()


def precision() -> Any:
    """Return the type of a model's numbers: bfloat16 on an accelerator, 32 bits elsewhere."""
    import torch

    if torch.cuda.is_available():
        return torch.bfloat16
    return torch.float32


def write(model: Any, tokenizer: Any, base: str, folder: Path) -> Path:
    """Write a trained PEFT model: its adapter, and the model with the adapter merged in, which is
    returned.

    From a GGUF file comes a GGUF file, for llama.cpp; else a folder of transformers, for vLLM and
    others.
    """
    model.save_pretrained(folder / ADAPTER)
    merged = model.merge_and_unload()
    source = Path(base)
    if source.suffix == ".gguf":
        write_gguf(merged, source, folder / GGUF)
        return folder / GGUF
    merged.save_pretrained(folder / MERGED)
    tokenizer.save_pretrained(folder / MERGED)
    return folder / MERGED


def write_gguf(model: Any, source: Path, out: Path) -> None:
    """Write a model's weights in 8 bits, with the description and tokenizer of the file that it
    came from."""
    import gguf
    import numpy as np

    reader = gguf.GGUFReader(source)
    kind = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(out, kind)
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name not in (
            "general.architecture",
            "general.file_type",
        ):
            of_items = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=of_items)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH[kind.upper()], model.config.num_hidden_layers)
    named = {}
    for key, value in model.state_dict().items():
        named[names.get_name(key, try_suffixes=(".weight", ".bias"))] = (
            value.detach().float().cpu().numpy()
        )
    for tensor in reader.tensors:
        numbers = _in_their_order(tensor.name, named[tensor.name], model.config, kind).astype(
            np.float32
        )
        if numbers.ndim == 2:
            small = gguf.GGMLQuantizationType.Q8_0
        else:
            small = gguf.GGMLQuantizationType.F32
        writer.add_tensor(tensor.name, gguf.quants.quantize(numbers, small), raw_dtype=small)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _in_their_order(name: str, numbers: Any, config: Any, kind: str) -> Any:
    """Return a tensor as llama.cpp keeps it: of Llama's queries and keys the halves of a head are
    interleaved."""
    if kind != "llama" or not name.endswith(("attn_q.weight", "attn_k.weight")):
        return numbers
    if name.endswith("q.weight"):
        heads = config.num_attention_heads
    else:
        heads = config.num_key_value_heads
    return numbers.reshape(heads, 2, -1, numbers.shape[-1]).swapaxes(1, 2).reshape(numbers.shape)
