import player
from board import Board
import main
import requests
