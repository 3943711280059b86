"""Language models: requests with a reply type go in, typed replies come out.

`Absent` comes out when there was no usable answer. Nothing here knows Hanabi: the folder imports `replies`, `errors`,
`values`, `logs` and `yaml_files` alone. Start with `request` (requests, responses, and the second request after an
unusable answer), then `layer` (the cache, budget and limits that a run's requests go through). `transport` is the
interface that a client implements, as `openai_client` and `langchain_client` do. `faults` classifies errors, each HTTP
status among them; `retries` tries again, also after a 429, and `limiter` then slows down. `fake_endpoint` is a local
fake server for tests.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
