def area(radius: float) -> float:
    """Returns the area of a circle."""
    return 3.14159 * radius**2
