namespace Ui;
abstract class Window { protected void Close() {} }
