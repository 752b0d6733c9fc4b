import spare


def names(of):
    return [of]


def everything(of):
    in_set = {*names(of), 1}
    in_dotted_set = {*spare.names(of)}
    in_list = [*names(of)]
    in_call = print(*names(of))
    in_dict = {**spare.named(of)}
    return in_set, in_dotted_set, in_list, in_call, in_dict
