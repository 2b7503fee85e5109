"""`echomind up`: everything on this machine."""

from typing import Annotated

import typer

from echomind.cli.api import DataDir, default_data_dir, reporting
from echomind.cli.profiles import read_profiles
from echomind.cli.terminal import Terminal


def up(
    data_dir: DataDir = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    http_port: Annotated[int, typer.Option(min=0, max=65_535, help="Port of HTTP; 0: any free one.")] = 8080,
    grpc_port: Annotated[int, typer.Option(min=0, max=65_535, help="Port of gRPC; 0: any free one.")] = 50051,
    agents: Annotated[int, typer.Option(min=1, max=64, help="Agent processes, which answer questions.")] = 1,
    ingestors: Annotated[int, typer.Option(min=1, max=64, help="Ingestor processes, which process documents.")] = 1,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the sign-in link in a browser.")] = True,
    check: Annotated[bool, typer.Option("--check", help="Start, verify that everything is ready, stop.")] = False,
) -> None:
    """Start EchoMind with everything it needs, and keep it running until Ctrl-C."""
    from echomind.local.up import run_up

    folder = data_dir or default_data_dir()
    with reporting(Terminal()):
        is_default = folder.absolute() == default_data_dir().absolute() and not read_profiles().current
    status = run_up(
        data_dir=folder,
        is_default=is_default,
        host=host,
        http_port=http_port,
        grpc_port=grpc_port,
        agents=agents,
        ingestors=ingestors,
        browser=browser,
        check=check,
    )
    raise typer.Exit(status)
