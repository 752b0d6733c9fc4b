import app.db
