"""The board to try positions on: its page, its server, and a browser that draws boards."""
