import options
