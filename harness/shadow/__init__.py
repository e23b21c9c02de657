"""A second engine that is asked the same as a first one, and compared with it."""
