require('y-lib/lib/tool');
