"""The bytes of uploads that a process may hold."""

from echomind_lib.errors import OverloadedError


class UploadSpace:
    """The room for bytes of uploads that a process has not stored yet, in memory and in its temporary folder."""

    def __init__(self, max_file_bytes: int, max_bytes: int) -> None:
        """Initializes it.

        Args:
            max_file_bytes: Largest file.
            max_bytes: Bytes of all uploads that arrive at a time. One request may have half of them, so that nobody
                takes all, but always one file of the largest size.
        """
        self.max_file_bytes = max_file_bytes
        self.max_request_bytes = max(max_bytes // 2, max_file_bytes)
        self._max_bytes = max(max_bytes, max_file_bytes)
        self._used = 0

    def take(self, size: int) -> None:
        """Counts bytes that have arrived.

        Raises:
            OverloadedError: Other uploads have the room.
        """
        if self._used + size > self._max_bytes:
            raise OverloadedError(
                "Too many files arrive at the same time. Send them again in a moment.", retry_after_seconds=5
            )
        self._used += size

    def give_back(self, size: int) -> None:
        """Frees bytes that are stored or discarded."""
        self._used -= size
