"""What is behind the back end `dask`: parcels travel, a line is held, benches do the work."""
