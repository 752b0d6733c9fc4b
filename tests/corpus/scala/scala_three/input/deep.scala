package q.deep

class Other
