import one from 'lib/one';
