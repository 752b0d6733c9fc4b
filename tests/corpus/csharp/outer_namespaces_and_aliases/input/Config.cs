namespace App.Core { class Config {} }
