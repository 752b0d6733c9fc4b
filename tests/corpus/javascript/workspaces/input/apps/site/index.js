const ui = require('@acme/ui');
