"""What the tests of images share."""
