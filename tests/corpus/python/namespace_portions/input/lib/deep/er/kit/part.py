import deep.er.kit
