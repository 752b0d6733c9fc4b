import app.settings
