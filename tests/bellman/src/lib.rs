//! Nothing: the tests beside it are all that there is. Dependencies of bellman stay out of the main package by it.
