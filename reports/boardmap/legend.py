"""What the signs on the board mean, as small pictures with a word each."""
def draw_legend() -> str:
    return ""
