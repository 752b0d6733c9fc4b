namespace Acme;

class Sink : IWriter
#if FEATURE_ASYNC
    , IAsync
#endif
{
#if FEATURE_SPAN
    public void Write(Span values)
#else
    public void Write(object[] values)
#endif
    {
        new Level().Check();
    }

    public void Close() { }
}
