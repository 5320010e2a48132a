"""One solution of each exercise of 15_many_devices, as a reader would write it."""
