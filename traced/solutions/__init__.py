"""One solution per exercise: shown on the page, pasted by `solution()`, run by the tests."""
