import inner from '#in';
