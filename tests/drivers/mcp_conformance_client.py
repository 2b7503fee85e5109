"""What the conformance suite starts as the client: it hands over to the test, which has the product's client.

Started without site packages, as the suite starts one for each scenario. Usage: `mcp_conformance_client.py PORT URL`.
"""

import json
import os
import socket
import sys


def main() -> None:
    """Sends the scenario to the test, and ends as it says."""
    names = ("MCP_CONFORMANCE_SCENARIO", "MCP_CONFORMANCE_CONTEXT")
    asked = {"url": sys.argv[2]} | {name: os.environ.get(name, "") for name in names}
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        connection.sendall(json.dumps(asked).encode() + b"\n")
        why = connection.makefile().read()
    sys.exit(why or 0)


if __name__ == "__main__":
    main()
