using System.Threading;
using System.IO;

class User { TimeProvider provider; }
