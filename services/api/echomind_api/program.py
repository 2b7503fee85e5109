"""The program `echomind-api`."""

import gc


def main() -> None:
    """Runs the service. Its modules are loaded without collecting: they leave no garbage, and searching takes 0.3 s."""
    gc.disable()
    from echomind_api.main import main as run

    # What they hold lives as long as the process, so that no later collection searches it.
    gc.freeze()
    gc.enable()
    run()
