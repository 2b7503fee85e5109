"""PostgreSQL: tables, connections, migrations and page tokens.

Nothing is imported here, so that a process that needs only the connection pool does not load the ORM.
"""
