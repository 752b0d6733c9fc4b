namespace Ui;
partial class Form : Window { void Start() { Build(); Close(); } }
