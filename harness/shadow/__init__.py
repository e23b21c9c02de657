"""A second engine that is asked behind the back of a first one."""
