"""What all SQL engines share: expressions, relations, measures and statements, written in a dialect.

Dialects are written, not transpiled: a transpiler turns TRY_CAST into CAST and loses functions, which reopens leaks.
"""
