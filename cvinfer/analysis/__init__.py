"""From predictions to results and verdicts: one finished document."""
