import player
import game.player
from board import Board
import main
import requests
