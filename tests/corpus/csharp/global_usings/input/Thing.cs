namespace App.Model;
class Thing {}
