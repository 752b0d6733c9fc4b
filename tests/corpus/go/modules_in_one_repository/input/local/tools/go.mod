module example.com/tools // the tools
