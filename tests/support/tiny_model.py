"""A randomly initialised language model of about 100,000 parameters, with a tokenizer made from texts."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tiny(texts: Iterable[str]) -> tuple[Any, Any]:
    """Return the model and the tokenizer."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    marks = ["<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]
    bpe.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=600, special_tokens=marks))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token="<|end|>", pad_token="<|pad|>"
    )
    tokenizer.chat_template = TEMPLATE
    shape = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    config = Qwen2Config(
        vocab_size=len(tokenizer), num_key_value_heads=2, max_position_embeddings=1024, **shape
    )
    return Qwen2ForCausalLM(config), tokenizer


def write_tiny(texts: Iterable[str], folder: Path) -> Path:
    """Write the model as transformers' folder."""
    model, tokenizer = tiny(texts)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
