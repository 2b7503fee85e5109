"""Recognition of text in images and scanned pages (OCR), in a child process with limits.

Only `child` and its imports process a file's bytes.
"""
