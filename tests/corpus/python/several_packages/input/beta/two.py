import alpha.one
