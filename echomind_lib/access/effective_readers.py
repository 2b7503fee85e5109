"""Computes the readers of a document at its source, from the reported permissions of it and its parent folders."""

from typing import Final

EFFECTIVE_READERS: Final = """
    chain(connector_id, bottom, folder) AS (
        SELECT connector_id, folder, folder FROM concerned WHERE CAST(readers ->> 'inherits' AS boolean)
        UNION
        SELECT chain.connector_id, chain.bottom, folder.parent_source_id
        FROM chain
        JOIN source_folders AS folder
            ON folder.connector_id = chain.connector_id AND folder.source_id = chain.folder
        WHERE CAST(folder.source_readers ->> 'inherits' AS boolean)
            AND CAST(folder.source_readers ->> 'is_known' AS boolean)
    ), of_folders AS MATERIALIZED (
        SELECT DISTINCT chain.connector_id, chain.bottom, granted.key
        FROM chain
        JOIN source_folders AS folder
            ON folder.connector_id = chain.connector_id AND folder.source_id = chain.folder
        CROSS JOIN LATERAL jsonb_array_elements_text(folder.source_readers -> 'principals') AS granted(key)
        WHERE CAST(folder.source_readers ->> 'is_known' AS boolean)
    ), granted AS (
        SELECT concerned.id, concerned.connector_id, own.key
        FROM concerned
        CROSS JOIN LATERAL jsonb_array_elements_text(concerned.readers -> 'principals') AS own(key)
        WHERE CAST(concerned.readers ->> 'is_known' AS boolean)
        UNION
        SELECT concerned.id, concerned.connector_id, of_folders.key
        FROM concerned
        JOIN of_folders
            ON of_folders.connector_id = concerned.connector_id AND of_folders.bottom = concerned.folder
        WHERE CAST(concerned.readers ->> 'inherits' AS boolean)
            AND CAST(concerned.readers ->> 'is_known' AS boolean)
    ), readers AS MATERIALIZED (
        SELECT granted.id AS document_id, principal.id AS principal_id
        FROM granted
        JOIN source_principals AS principal
            ON principal.connector_id = granted.connector_id AND principal.key = granted.key
    )
"""
"""CTEs of a `WITH RECURSIVE` statement that follow its CTE `concerned(id, connector_id, folder, readers)`: documents
with the stored folder and readers. The result is `readers(document_id, principal_id)`.

From each folder, permissions are collected upwards, up to and including the nearest folder that does not inherit or
whose readers are unknown."""
