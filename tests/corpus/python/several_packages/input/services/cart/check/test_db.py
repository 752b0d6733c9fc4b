import app.db
from app import settings
