def mean_square(x):
    """The mean of squares."""
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] ** 2
    return total / x.shape[0]
