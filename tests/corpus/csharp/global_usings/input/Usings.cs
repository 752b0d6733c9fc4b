global using App.Model;
