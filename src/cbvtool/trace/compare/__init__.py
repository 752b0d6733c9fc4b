"""Two traces beside each other: which functions, calls and parts of their call trees are alike (TD-1 to TD-3, TD-12).

    file_pairs   which file of one trace is which of the other
    identity     which function of one trace is which of the other
    trees        the calls of a thread as a tree with one root
    subtrees     the set of functions below each call
    similarity   the most similar sets of functions
    matches      the most similar calls
    groups       matches put together under the matches that contain them
    aligned      calls paired one to one, as matches (TD-1, TD-11)
    alignment    which call is which, one to one, by structure alone (TD-11)
    union        both call trees as one, by calling context, with what each spends there (TD-11)
    runs         repeated runs of two versions, and what is not noise (TD-13)

Source: Trümper, Döllner, Telea 2013 (TraceDiff), sections III and IV; Trümper 2014, §5.2.
"""
