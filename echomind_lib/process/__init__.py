"""What every process needs: free space of the disk, freed memory, imports of parts of packages, retries."""
