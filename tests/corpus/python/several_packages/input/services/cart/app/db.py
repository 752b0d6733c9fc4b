from app import settings
import common.log
import alpha
