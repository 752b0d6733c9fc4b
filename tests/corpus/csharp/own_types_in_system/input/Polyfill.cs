namespace System.Threading;

class TimeProvider { }
