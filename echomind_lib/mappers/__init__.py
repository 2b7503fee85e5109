"""Explicit mappings between rows and models, one module per noun.

Each module has:

* `to_model(row)`: the model of a row of the ORM or of asyncpg;
* `to_columns(model, fields)`, if the noun can be written: the values of the columns of the given fields.
  Fields set by the server are ignored; other fields that cannot be written are rejected.

Callers that write the columns also write `user_id_last_update`.
"""
