"""Rows to models and back, explicitly, one module a noun.

Each module has:

* `to_model(row)`: the model of a row of the ORM or of asyncpg;
* `to_columns(model, fields)`, where the noun can be written: the values of the columns that belong to the given fields.
  Fields that the server sets are left out; one that cannot be written so is refused;
* `ROW`, `MODEL`, and what is not mapped by having the same name: `INTERNAL` columns, which never leave, and `DERIVED`
  fields, which are no columns; each with the reason. A test walks all columns and fields.

Whoever writes the columns also writes `user_id_last_update`.
"""
