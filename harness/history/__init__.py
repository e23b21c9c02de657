"""What each release or commit of an engine passes, and which one changed a case."""
