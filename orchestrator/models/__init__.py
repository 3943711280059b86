"""Language models: a request with its reply type goes in, a typed reply or an absence comes out.

Nothing here knows Hanabi: the folder may import `replies`, `errors`, `values` and `logs` alone. Start with `request`
(what is asked and answered, and asking again), then `layer` (retries, limits, budget and cache of a run's requests),
`transport` (the one-method seam) and its two implementations, `openai_client` and `langchain_client`. `faults` says
what each error of a server means, a 429 among them; `fake_endpoint` is a server for trials.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
