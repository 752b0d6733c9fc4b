#!/usr/bin/python
# vim: set fileencoding=cp1252 :
import good  # €
