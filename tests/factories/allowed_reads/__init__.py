"""What may read tables with owners without asking `echomind_lib.access`, each with the reason."""

from tests.factories.allowed_reads import api, library, workers

ALLOWED = library.ALLOWED | api.ALLOWED | workers.ALLOWED
