"""What black-box tests need to run the real binary and to look at it from outside."""
