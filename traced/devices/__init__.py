"""Devices, and the parts of arrays that lie on them."""
