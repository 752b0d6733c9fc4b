cimport numpy
