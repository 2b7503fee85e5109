"""`echomind backup` and `echomind restore`."""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, NoReturn

import typer

from echomind.cli.api import AsJson, DataDir, default_data_dir, reporting
from echomind.cli.terminal import CommandError, Terminal

VARIABLE: Final = "ECHOMIND_BACKUP_PASSPHRASE"
"""The variable with the passphrase of a backup."""
_INTERRUPTED: Final = 130


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; `-` for standard output.")],
    data_dir: DataDir = None,
    recipient: Annotated[
        list[str] | None,
        typer.Option(metavar="age1…", help="Encrypt to this recipient of age; repeatable.", show_default="none"),
    ] = None,
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help=f"Encrypt with a passphrase: that of {VARIABLE}, or typed in.")
    ] = False,
    without_vectors: Annotated[
        bool,
        typer.Option("--without-vectors", help="Smaller, but all documents are indexed again after a restore."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Back up everything to one file, while EchoMind runs or not.

    It backs up the embedded servers of the data folder, or the servers that the environment names.
    """
    from echomind.backup.backup import write_backup
    from echomind.backup.encryption import encrypting
    from echomind.backup.servers import are_external, embedded_servers, external_servers

    terminal = Terminal(as_json=as_json)
    folder = data_dir or default_data_dir()
    is_encrypted = passphrase or bool(recipient)
    to_output = str(file) == "-"
    with _reporting(terminal), ExitStack() as stack:
        if to_output and as_json:
            _refuse("--json writes to standard output, too: name a file")
        if to_output and not is_encrypted and sys.stdout.isatty():
            _refuse("a backup is not written to a terminal: name a file, or redirect the output")
        if not to_output and file.exists():
            _refuse(f"{file} exists: name another file")
        external = are_external(os.environ)
        if not external and not (folder / "secrets.json").exists():
            _refuse(f"{folder} is no data folder of EchoMind: name one with --data-dir")
        secret = _typed_passphrase(confirm=True) if passphrase else ""
        servers = external_servers(folder) if external else stack.enter_context(embedded_servers(folder, terminal.note))
        if not servers.secret_keys:
            terminal.note("Set ECHOMIND_SECRETS__KEYS as for the services: without it, stored keys cannot be restored.")
        owner = folder / "owner-api-key"
        raw = sys.stdout.buffer if to_output else stack.enter_context(_new_file(file))
        with encrypting(raw, recipient or (), secret) as target:
            summary = _run(
                write_backup(
                    servers,
                    target,
                    owner_api_key=owner.read_text() if owner.exists() and not external else "",
                    with_vectors=not without_vectors,
                    report=terminal.note,
                )
            )
    terminal.json(
        {
            "file": str(file),
            "bytes": summary.size,
            "documents": summary.documents,
            "files": summary.files,
            "missing": summary.missing,
        }
    )
    for key in summary.missing[:10]:
        terminal.note(f"The object store has no {key}: `echomind doctor --deep` says more.")
    if not is_encrypted:
        terminal.note("The backup is not encrypted, and has the key that decrypts stored secrets: keep it safe.")
    if not to_output:
        terminal.line(f"Backed up {summary.documents} documents, {summary.size / 1e6:.1f} MB, to {file}.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `echomind backup` wrote.")],
    data_dir: DataDir = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Keep an existing data folder under another name, and take its place.")
    ] = False,
    identity: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A file with a key of age; repeatable.", show_default="none"),
    ] = None,
    erasures: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Who was erased since: a newer backup, or the output of `echomind users erasures --json`; repeatable.",
            show_default="none",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Restore a backup into an empty data folder.

    Where the environment names servers, it is restored into these, which must be empty, too. The whole file is verified
    before anything is written. People who were erased after the backup was made are erased again, as far as --erasures
    or the folder that --replace replaces names them.
    """
    from echomind.backup.encryption import keys_of, needs_passphrase
    from echomind.backup.ledger import read_ledger
    from echomind.backup.restore import restore_folder, restore_servers, verify
    from echomind.backup.servers import are_external, external_servers

    terminal = Terminal(as_json=as_json)
    folder = data_dir or default_data_dir()
    kept: Path | None = None
    with _reporting(terminal):
        external = are_external(os.environ)
        if external and replace:
            _refuse("--replace is for data folders: name a new database, bucket and vector index in the environment")
        secret = _typed_passphrase(confirm=False) if needs_passphrase(file) else ""
        keys = keys_of(file, identity or (), secret)
        terminal.note(f"Verifying {file} ...")
        source = verify(file, keys)
        terminal.note(f"Backup of {source.manifest.created_at}, EchoMind {source.manifest.version}.")
        ledger = [entry for each in erasures for entry in read_ledger(each, keys)] if erasures else None
        if external:
            servers = external_servers(folder)
            if servers.secret_keys != source.secrets.keys:
                terminal.note(
                    "Give all services the keys of the backup in ECHOMIND_SECRETS__KEYS, which are in its member "
                    "`secrets.json`: stored secrets can be read with them only."
                )
            repeated = _run(restore_servers(source, servers, terminal.note, ledger or ()))
        else:
            kept, repeated = restore_folder(source, folder, ledger, replace=replace, run=_run, report=terminal.note)
    documents = source.manifest.documents
    terminal.json(
        {
            "documents": documents,
            "createdAt": source.manifest.created_at,
            "dataDir": None if external else str(folder),
            "replaced": str(kept) if kept else None,
            "erasedAgain": repeated.people,
        }
    )
    if repeated.people:
        terminal.note(f"{repeated.people} people who were erased since are deactivated, and erased when EchoMind runs.")
    for name in repeated.kept:
        terminal.note(
            f"{name} was erased since, but no other superadmin here can sign in: make one, then erase {name} again."
        )
    if ledger is None and kept is None:
        terminal.note(
            f"People who were erased after {source.manifest.created_at} are in it again: erase them again, or repeat "
            "the restore with --erasures."
        )
    if kept:
        terminal.note(f"The data that was there is in {kept}.")
    if not source.manifest.has_vectors:
        terminal.note("The backup has no vectors: documents are found when they have been indexed again.")
    terminal.line(f"Restored {documents} documents. People have to sign in again; API keys are valid as before.")


def _refuse(message: str) -> NoReturn:
    from echomind.local.embedded.process import StartError

    raise StartError(message)


@contextmanager
def _reporting(terminal: Terminal) -> Iterator[None]:
    """Ends the process after an expected error, as `reporting` does.

    Raises:
        Exit: The command failed.
    """
    from echomind.backup.archive import ArchiveError
    from echomind.backup.encryption import EncryptionError
    from echomind.backup.ledger import LedgerError
    from echomind.backup.postgres import DumpError
    from echomind.backup.restore import RestoreError
    from echomind.local.embedded.process import StartError
    from echomind.local.program import with_program
    from echomind.local.supervisor import StopRequestedError
    from echomind_lib.db.migrate import SchemaError
    from echomind_lib.errors import EchoMindError

    known = (
        EncryptionError,
        DumpError,
        LedgerError,
        RestoreError,
        StartError,
        SchemaError,
        EchoMindError,
        ConnectionError,
    )
    with reporting(terminal):
        try:
            yield
        except (StopRequestedError, asyncio.CancelledError, KeyboardInterrupt):
            terminal.note("Interrupted.")
            raise typer.Exit(_INTERRUPTED) from None
        except ArchiveError as error:
            raise CommandError(f"The backup cannot be used: {error}.") from None
        except known as error:
            text = with_program(f"{error} {getattr(error, 'detail', '')}".strip())
            raise CommandError(text[:1].upper() + text[1:]) from None


@contextmanager
def _new_file(file: Path) -> Iterator[BinaryIO]:
    """Opens a new file, readable by its owner alone, that has its name only when it is complete."""
    unfinished = file.with_name(f"{file.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    unfinished.rename(file)


def _typed_passphrase(*, confirm: bool) -> str:
    given = os.environ.get(VARIABLE, "")
    return given or str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True))


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine; Ctrl-C and SIGTERM cancel it, also while embedded servers are supervised."""

    async def run() -> Any:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        return await task

    return asyncio.run(run())
