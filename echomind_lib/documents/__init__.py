"""Operations on many documents: kinds of files, filters, and changes of a selection."""
