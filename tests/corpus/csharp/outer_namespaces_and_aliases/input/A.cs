namespace App.Core.Inner;
using Log = App.Tools.Logger;
using static App.Tools.Numbers;

class Run {
    void Go() {
        Log.Say();
        var c = new Config();
        Twice(2);
        App.Tools.Logger.Say();
    }
}
