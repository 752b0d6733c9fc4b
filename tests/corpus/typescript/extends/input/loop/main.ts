import x from 'lib/one';
