"""`python -m losona.providers.serve MODEL`: the embedded engine as an OpenAI-compatible server on loopback.

For trying runs against a real server without a key; answers one request at a time. Knows the engine and the weights.
"""

import argparse
import sys
import threading

from losona.errors import UserFault
from losona.providers.engine import Engine, EngineOptions
from losona.providers.weights import DEFAULT, model_file


def main() -> int:
    """Load a model, print the base URL, serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m losona.providers.serve", description=__doc__)
    parser.add_argument("model", nargs="?", default=DEFAULT, help=f"{DEFAULT} or the path of a .gguf file")
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument("--n-ctx", type=int, help="context in tokens")
    asked = parser.parse_args()
    try:
        engine = Engine(model_file(asked.model), EngineOptions(n_ctx=asked.n_ctx), asked.port)
    except UserFault as fault:
        print(f"Error: {fault}", file=sys.stderr)
        return 2
    print(f"{engine.address}/v1", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        engine.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
