require('closed');
