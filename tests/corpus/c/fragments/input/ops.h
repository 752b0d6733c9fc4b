enum op { ADD };
