"""What an author and the options of a command say: engines, rules, cases."""
