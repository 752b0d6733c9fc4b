from logging import getLogger
