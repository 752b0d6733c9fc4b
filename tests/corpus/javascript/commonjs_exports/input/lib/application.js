exports = module.exports = createApplication;

function createApplication() {
  return new Server();
}

class Server {
  listen() {}
}

exports.Server = Server;
exports.Route = require('./route').Route;
exports.view = require('./view');
