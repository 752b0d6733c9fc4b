namespace Ui;
partial class Form { void Build() {} }
