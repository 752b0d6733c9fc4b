namespace Acme;

interface IWriter { }

interface IAsync { }

class Level
{
    public void Check() { }
}
