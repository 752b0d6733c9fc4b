require('open');
