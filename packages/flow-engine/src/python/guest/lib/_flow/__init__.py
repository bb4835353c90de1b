"""The library on which authors' components run; none of its names are meant for them."""
