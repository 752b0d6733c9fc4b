# coding: klingon
import good
