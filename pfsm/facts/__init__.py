"""Facts in English text: numbers, dates, amounts, forms of words, and which of them contradict each other."""
