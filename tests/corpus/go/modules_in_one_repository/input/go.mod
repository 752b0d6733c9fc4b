module example.com/shop

go 1.19

require example.com/tools v1.0.0

replace example.com/tools => ./local/tools
