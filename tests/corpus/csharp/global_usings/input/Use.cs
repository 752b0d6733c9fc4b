class Use { Thing t; }
