namespace N;
interface IStore { void Put(int x); }
class Store : IStore {
    public void Put(int x) {}
    public static Store Open() => new Store();
}
class User {
    private readonly IStore store;
    public Store Own { get; set; }
    void Go(Store given) {
        store.Put(1);
        given?.Put(2);
        var made = Store.Open();
        made.Put(3);
        this.Own.Put(4);
        Store.Open().Put(5);
    }
}
