# coding: rot13
import good
