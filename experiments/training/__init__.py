"""Train a language model on exported rows, with TRL's trainers and LoRA (docs/train.md).

Start reading at training.py (a training from its rows to its files); trainers.py has the settings
of each kind, weights.py reads and writes models, answers.py counts what a model answers,
training_report.py tells it. It needs the extra `train`: torch and TRL are imported where a model is
loaded.
"""
