"""Resources along time: amounts by resource, state and slice, optimal partitions of them, deviations. No Qt."""
