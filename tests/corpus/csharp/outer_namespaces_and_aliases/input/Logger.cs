namespace App.Tools;
class Logger { public static void Say() {} }
