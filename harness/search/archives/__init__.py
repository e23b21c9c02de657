"""Archives of recorded games: read as a stream, whatever their format, in memory that does not grow with them.

A file is cut into blocks (a line, a saved game), which are read one by one, here or in another process. A block holds
recorded phases; a movement phase with the retreats after it is a turn.
"""

from .formats import ENTRY_POINTS, FORMATS, find_format
from .records import Archive, ArchiveError, ArchiveFormat, Block, Chunk, RecordedPhase, Turn, chunks_of, turns_of

__all__ = [
    "ENTRY_POINTS",
    "FORMATS",
    "Archive",
    "ArchiveError",
    "ArchiveFormat",
    "Block",
    "Chunk",
    "RecordedPhase",
    "Turn",
    "chunks_of",
    "find_format",
    "turns_of",
]
