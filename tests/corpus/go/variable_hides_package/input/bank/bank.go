package bank

type Account struct{}

func New() *Account { return &Account{} }

func (a *Account) Open() {}
