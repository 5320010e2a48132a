"""The errors of JAX and Flax by their symptoms: what the field guide has a page on."""
