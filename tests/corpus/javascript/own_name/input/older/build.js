require('older');
