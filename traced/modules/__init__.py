"""Flax NNX: what a call changed, lost or shared, and where `split` puts things."""
