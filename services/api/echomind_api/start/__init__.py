"""What the gateway sees to when it starts: the owner's account, what every installation begins with, the guide."""
