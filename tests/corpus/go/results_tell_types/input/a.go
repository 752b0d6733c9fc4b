package shop

import "example.com/shop/db"

type App struct {
	conn *db.Conn
}

func (a *App) Load() {
	a.conn.Query()
	rows, err := db.Open("x")
	rows.Query()
	db.Must(err).Query()
}
