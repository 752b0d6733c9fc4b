import gamma.tool
